/**
 * The scores of heads. A head earns a label where its score reaches the threshold beside it, and
 * never without.
 */

/**
 * @typedef {import('./types.d.ts').ScoreName} ScoreName
 * @typedef {import('./types.d.ts').ScoreDefinition} ScoreDefinition
 * @typedef {import('./types.d.ts').ScoredHead} ScoredHead
 */

/** @type {Readonly<Record<ScoreName, ScoreDefinition>>} */
export const DEFINITIONS = Object.freeze({
  previous: {
    label: 'previous token',
    threshold: 0.5,
    on: 'texts',
    is: 'mean weight on the token before, from the third token on',
  },
  first: {
    label: 'first-token sink',
    threshold: 0.5,
    on: 'texts',
    is: 'mean weight on the first token, from the third token on',
  },
  duplicate: {
    label: 'duplicate token',
    threshold: 0.4,
    on: 'repeats',
    is: 'mean weight on the same token one period before',
  },
  induction: {
    label: 'induction',
    threshold: 0.4,
    on: 'repeats',
    is: 'mean weight on the token behind the same one, one period before',
  },
  source: {
    label: 'answer source',
    threshold: 0.5,
    on: 'sources',
    is: 'mean weight of the last token on the positions that are given',
  },
  robustness: {
    label: 'entropy-robust',
    threshold: 0.8,
    on: 'texts',
    is: '1 minus the slope of the entropy H over log n, from 0 if uniform to 1 where H stays O(1)',
  },
  copying: {
    label: 'copying',
    threshold: 0.5,
    on: 'weights',
    is: 'sum of the real parts of the eigenvalues of the OV circuit, over that of their sizes',
  },
});
export const SCORES = /** @type {ScoreName[]} */ (Object.keys(DEFINITIONS));

/**
 * A row for each head.
 * @param {{ layers: number, heads: number }} config
 * @param {Partial<Record<ScoreName, Float64Array>>} scores each (layers, heads)
 * @returns {ScoredHead[]}
 */
export function headTable({ layers, heads }, scores) {
  const names = SCORES.filter((name) => scores[name]);
  return Array.from({ length: layers * heads }, (_, x) => {
    const own = Object.fromEntries(
      names.map((name) => [name, /** @type {Float64Array} */ (scores[name])[x]]),
    );
    const earned = names.filter((name) => own[name] >= DEFINITIONS[name].threshold);
    return {
      layer: Math.floor(x / heads),
      head: x % heads,
      scores: own,
      labels: earned.map((name) => DEFINITIONS[name].label),
    };
  });
}
