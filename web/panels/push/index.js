/** Push and scale: softmax cannot jump, and one division lets it learn. */
import { temperature } from '../../page/controls.js';
import { block, controlsRow, orGiveUp, paragraph, verdicts, wait } from '../../page/layout.js';
import { exampleOf } from '../../math/example.js';
import { html, setText } from '../../plot/dom.js';
import { fixed, short } from '../../plot/format.js';
import { onFrame } from '../../page/frames.js';
import { followTemperature } from '../../page/row.js';
import { Statement } from '../../page/statement.js';
import { codeOf } from './code.js';
import { movedBy } from './compute.js';
import { Fans } from './fans.js';
import { Scatter } from './scatter.js';
import { Spectrum } from './spectrum.js';

/** @typedef {import('./scatter.js').Moves} Moves */
/** @typedef {import('./fans.js').Fan} Fan */

const SPECTRUM =
  'The first bar is 0, since a push of all scores alike moves nothing. The short marks are the ' +
  'weights, divided by T. From the second on, a bar ends between the marks at its sides.';
const SEED = 1;
/** Standard errors that a variance of random numbers may be off. */
const SIGMAS = 5;

const statements = () => ({
  jump: new Statement({
    id: 'C21',
    claim: 'weights move by at most 1/(2T) of the push',
    allowance:
      'A bound, with rounding as sensitivity.h derives it. No move is longer than √2 at all.',
    oracles: [movedBy],
  }),
  moves: new Statement({
    id: 'C21-oracle',
    claim: 'the moves are those of textbook loops',
    allowance: 'Allowed: 64u/T, for scores up to 30 in size.',
    oracles: [movedBy],
  }),
  trace: new Statement({
    id: 'C20',
    claim: 'the eigenvalues of the slope add up to its trace, and none is above 1/(2T)',
    allowance: 'Their sum is (1 − Σp²)/T. Allowed as sensitivity.h derives it.',
    oracles: [],
  }),
  scale: new Statement({
    id: 'C25',
    claim: 'the variance of a dot product is the number of entries, and 1 after the division',
    allowance: `A sample: allowed are ${SIGMAS} standard errors of the variance.`,
    oracles: [],
  }),
});

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { state, lab, row, keys }) {
  const checks = statements();
  const scatter = new Scatter();
  const fans = new Fans();
  const spectrum = new Spectrum();
  const more = paragraph('remark', SPECTRUM);
  more.dataset.depth = 'understand';
  const sentence = paragraph('sentence');
  const T = temperature(state.T, (value) => `T ${short(value)}`, { min: 0.1, max: 10 });
  root.replaceChildren(
    block(
      'two-figures',
      html('div', {}, scatter.figure.element, controlsRow(T.element), sentence),
      html('div', {}, fans.figure.element, spectrum.figure.element, more),
    ),
    verdicts(checks),
  );

  /** @type {Moves | undefined} */
  let found;
  async function push() {
    const asked = state.T.value;
    const { words, scores } = exampleOf(row.value, keys);
    found = undefined;
    const moves = /** @type {Moves | undefined} */ (await lab.ask('push', 'bump', [asked, scores]));
    if (!moves) return;
    found = moves;
    scatter.show(moves, asked);
    spectrum.show(moves, asked, words);
    const part = short(Math.floor((1e4 * moves.maxRatio) / moves.bound) / 100, 4);
    setText(
      sentence,
      `At T = ${short(asked)} a push of length 0.1 moves the weights by ` +
        `${short(0.1 * moves.bound)} at most: at a tie of two, each by ` +
        `${short((0.1 * moves.bound) / Math.SQRT2, 2)}. The boldest row here reaches ` +
        `${part}\u202f% of the bound.`,
    );
    tell(checks, moves, asked);
  }

  const followed = [followTemperature(row, state.T)];
  wait(checks);
  const { scale: _, ...ofMoves } = checks;
  onFrame([state.T, row], () => void orGiveUp(ofMoves, push()));
  const [fan] = await Promise.all([lab.ask('push', 'spread', [SEED]), push()]);
  if (fan) {
    fans.show(fan);
    tellScale(checks, fan);
  }
  return {
    followed,
    settled: () => lab.settled('push'),
    state: () => ({ ...found, fan }),
    code: () => codeOf({ T: state.T.value, seed: SEED }),
    exports: { svg: () => scatter.figure.picture },
  };
}

/** @param {ReturnType<typeof statements>} checks @param {Moves} moves @param {number} T */
function tell(checks, { maxRatio, bound, allowed, off, trace, top }, T) {
  checks.jump.show({
    bound: true,
    measured: maxRatio,
    allowed: bound,
    rounding: allowed,
    data: { bound },
  });
  checks.moves.show({ measured: off, allowed: (64 * 2 ** -53) / Math.min(1, T) });
  checks.trace.show({
    ...trace,
    ratio: top <= bound + allowed ? trace.measured / trace.allowed : Infinity,
    data: { top },
  });
}

/** @param {ReturnType<typeof statements>} checks @param {Fan} fan */
function tellScale(checks, fan) {
  const off = fan
    .flatMap(({ d, experiment: { variance, scaledVariance, standardError } }) => [
      { off: Math.abs(variance - d), error: standardError },
      { off: Math.abs(scaledVariance - 1), error: standardError / d },
    ])
    .map((each) => each.off / each.error);
  const worst = Math.max(...off);
  checks.scale.show({
    measured: worst,
    allowed: SIGMAS,
    text: `the worst of ${off.length} is ${fixed(worst, 1)} standard errors off`,
    data: { variances: fan.map(({ experiment }) => experiment.variance).join(' ') },
  });
}
