/**
 * The scores of heads: the mean weight that a head puts on a certain token. A head earns a label
 * with the threshold beside it, and never without.
 */

/** @typedef {import('../../../src/js/model/api.d.ts').HeadRow} HeadRow */

/** @typedef {'previous' | 'first' | 'duplicate' | 'induction' | 'source'} Score */

/**
 * The labels, each with the text on which its score is the mean weight, and the token it is on.
 * @type {Record<Score, { label: string, threshold: number, text: string, token: string }>}
 */
export const LABELS = {
  previous: {
    label: 'previous token',
    threshold: 0.5,
    text: 'stories',
    token: 'the token before',
  },
  first: {
    label: 'first-token sink',
    threshold: 0.5,
    text: 'stories',
    token: 'the first token, from the third token on',
  },
  duplicate: {
    label: 'duplicate token',
    threshold: 0.4,
    text: 'random repeats',
    token: 'the same token one period before',
  },
  induction: {
    label: 'induction',
    threshold: 0.4,
    text: 'random repeats',
    token: 'the token behind the same one, one period before',
  },
  source: {
    label: 'answer source',
    threshold: 0.5,
    text: 'questions',
    token: 'the words of the story that tell the answer, just before it is said',
  },
};
export const SCORES = /** @type {Score[]} */ (Object.keys(LABELS));

/** Sums the weights of all heads on certain positions. */
export class Tally {
  /** @param {{ layers: number, heads: number }} config */
  constructor({ layers, heads }) {
    this.heads = heads;
    this.sums = new Float64Array(layers * heads);
    this.count = 0;
  }

  /** @param {HeadRow[]} rows of one position @param {number[]} positions that count */
  add(rows, positions) {
    for (const { layer, head, weights } of rows)
      for (const position of positions) this.sums[layer * this.heads + head] += weights[position];
    this.count++;
  }

  /** The mean of each head, (layers, heads). */
  means() {
    return this.sums.map((sum) => (this.count ? sum / this.count : 0));
  }
}

/**
 * @typedef {object} Head
 * @property {number} layer
 * @property {number} head
 * @property {Record<Score, number>} scores
 * @property {string[]} labels those whose threshold is reached
 */

/**
 * @param {{ layers: number, heads: number }} config
 * @param {Record<Score, Float64Array>} means
 * @returns {Head[]}
 */
export function tableOf({ layers, heads }, means) {
  return Array.from({ length: layers * heads }, (_, x) => {
    const scores = /** @type {Record<Score, number>} */ (
      Object.fromEntries(SCORES.map((name) => [name, means[name][x]]))
    );
    const earned = SCORES.filter((name) => scores[name] >= LABELS[name].threshold);
    const labels = earned.map((name) => LABELS[name].label);
    return { layer: Math.floor(x / heads), head: x % heads, scores, labels };
  });
}
