/** I, trust: the most likely value is the weighted mean. */
import { temperature } from '../../page/controls.js';
import { exampleOf } from '../../math/example.js';
import { mostLikely } from '../../math/roads.js';
import { besideWords, controlsRow, paragraph, verdicts } from '../../page/layout.js';
import { setText } from '../../plot/dom.js';
import { fixed, scientific, short } from '../../plot/format.js';
import { follow, followTemperature } from '../../page/row.js';
import { onFrame } from '../../page/frames.js';
import { Statement } from '../../page/statement.js';
import { codeOf } from './code.js';
import { challenge, neighbour, testify } from './compute.js';
import { Picture } from './picture.js';
import { originOf, reportsOf } from './reports.js';
import { REPORTS } from './state.js';
import { trusted } from './words.js';

const statements = () => ({
  value: new Statement({
    id: 'C8',
    claim: 'attention returns the peak of the product of all bells',
    allowance:
      'Allowed: u·(16 + 8B)·Σ w|v|, B the largest difference of two scores over T, u = 2⁻⁵³. ' +
      'The climb below sees reports and variances, and no weight.',
    oracles: [mostLikely],
  }),
  curvature: new Statement({
    id: 'C9',
    claim: 'how sharp the peak is, is the log-sum-exp that attention keeps',
    allowance:
      'The curvature of the log-likelihood at its peak is −β·e^lse; compared as logarithms. ' +
      'Allowed: u·(16 + 8B + |lse| + log n).',
    oracles: [mostLikely],
  }),
  entropy: new Statement({
    id: 'C10',
    claim: 'of all weights with this average score, these leave most open',
    allowance:
      'Random neighbours with the same sum and the same average score have less entropy. ' +
      'Allowed: u·4n, for the sums.',
    oracles: [neighbour, challenge],
  }),
});

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { engine: load, state, row, keys }) {
  const engine = await load();
  const picture = new Picture(REPORTS.length, (j, value) =>
    state.reports.set(
      state.reports.value.map((/** @type {number} */ old, /** @type {number} */ i) =>
        i === j ? value : old,
      ),
    ),
  );
  const checks = statements();
  const sentence = paragraph('sentence');
  const origin = paragraph('look-key');
  const T = temperature(state.T, (T) => `T ${short(T)}`, { min: 0.1, max: 20 });
  root.replaceChildren(
    besideWords(picture.figure.element, sentence, origin, controlsRow(T.element)),
    verdicts(checks),
  );
  const followed = [
    followTemperature(row, state.T),
    follow(row, state.reports, (sent) => reportsOf(sent, keys).reports),
  ];
  /** @type {ReturnType<typeof testify>} */
  let found;
  /** @type {string[]} */
  let words;
  const draw = () => {
    const example = exampleOf(row.value, keys);
    words = example.words;
    const reports = state.reports.value.slice(0, words.length);
    found = testify(engine, { scores: example.scores, reports, T: state.T.value });
    picture.show(found, words);
    const { who, weight } = trusted(found.weights, words);
    setText(
      sentence,
      `The most likely value is ${fixed(found.likely.value, 2)}, and attention returns ` +
        `${fixed(found.output, 2)}. ${who}, ${weight}.`,
    );
    setText(origin, originOf(reportsOf(row.value, keys), state.reports.value));
    tell(checks, found);
  };
  onFrame([state.T, state.reports, row], draw);
  document.addEventListener('themechange', draw);
  draw();
  return {
    followed,
    state: () => ({ words, ...found }),
    code: () => codeOf({ words, ...found }),
    exports: { svg: () => picture.figure.picture },
  };
}

/** @param {ReturnType<typeof statements>} checks @param {ReturnType<typeof testify>} found */
function tell(checks, found) {
  const { likely, output, estimate, lse, n, entropy } = found;
  checks.value.show({ ...found.value, data: { likely: likely.value, output, estimate } });
  checks.curvature.show({ ...found.curvature, data: { lse } });
  const { gain, allowed, ratio, trials } = entropy;
  checks.entropy.show({
    measured: gain,
    allowed,
    ratio: gain > allowed ? Infinity : ratio,
    ...(n < 3 && { verdict: 'none' }),
    text: `the boldest of ${trials} has ${scientific(-gain)} nats less`,
    data: { trials },
  });
}
