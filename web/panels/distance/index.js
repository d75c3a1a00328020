/**
 * Softmax attention is Gaussian smoothing, when the keys have equal norms or their norm is put
 * back. Three ways to break it.
 */
import { button, numberField, options, temperature, toggle } from '../../page/controls.js';
import { attentionRow, bareRow, gaussianRow } from '../../math/oracle.js';
import { html } from '../../plot/dom.js';
import { scientific, short } from '../../plot/format.js';
import { onFrame } from '../../page/frames.js';
import { Statement } from '../../page/statement.js';
import { Bell } from './bell.js';
import { codeOf } from './code.js';
import { FLAT, N, STEEP } from './compute.js';
import { KernelMaps } from './maps.js';
import { NoteTable, TruthTable } from './tables.js';

/** @typedef {ReturnType<typeof import('./worker.js').sides>} Sides */

const PRECISIONS = /** @type {const} */ (['float64', 'float32']);

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { state, lab }) {
  const bell = new Bell();
  const maps = new KernelMaps((cell) => bell.mark(cell));
  const note = new NoteTable();
  const truth = new TruthTable(({ unitQueries, unitKeys, restore }) => {
    state.unitQueries.set(unitQueries);
    state.unitKeys.set(unitKeys);
    state.restore.set(restore);
  });
  const allowance =
    `Allowed per weight: u·(${FLAT} + ${STEEP}B)·W with B = (‖q‖ + max‖k‖)²/4T, which is 1/T ` +
    `for unit rows; per output u·(${FLAT} + ${STEEP}B)·Σ W|v|. ` +
    'u is 2⁻⁵³ or 2⁻²⁴; B is how large a logit can be, in units of √d. ' +
    'The two constants are derived in theory.h, for rounding errors of either sign in the sums ' +
    'over channels; a worst case would be √d larger.';
  const statements = PRECISIONS.map(
    (precision) =>
      new Statement({
        id: `C1-${precision}`,
        claim: `softmax weights are Gaussian weights, ${precision}`,
        allowance,
        oracles: [attentionRow, gaussianRow],
      }),
  );
  const C18 = new Statement({
    id: 'C18',
    claim: '',
    allowance:
      'Each of the six settings with the assumption must stay within the allowance of C1. ' +
      'Each of the other two has to differ by more.',
    oracles: [gaussianRow],
  });
  const lost = new Statement({
    id: 'C1-shift',
    claim: 'without a shift of the exponents, only rows far from every key are lost',
    allowance:
      'Counted: rows that are NaN, and rows whose largest exponential is 0, or infinite, in ' +
      'float32. Allowed: no difference between the two counts.',
    oracles: [bareRow],
  });
  const T = temperature(
    state.T,
    (value) => `T ${short(value)}; sigma squared ${short(8 * value)}`,
    {
      min: 5e-4,
    },
  );
  root.replaceChildren(
    html(
      'div',
      { class: 'kernel-top' },
      html(
        'div',
        {},
        bell.element,
        html(
          'div',
          { class: 'controls' },
          toggle(state.unitKeys, 'keys of one length'),
          toggle(state.unitQueries, 'queries of one length'),
          toggle(state.restore, 'restore key length'),
          T.element,
        ),
      ),
      maps.element,
    ),
    maps.tableHost,
    html(
      'div',
      { class: 'controls', 'data-depth': 'doubt' },
      options(state.precision, 'Maps in', { float64: 'float64', float32: 'float32' }),
      toggle(state.bare, 'exponentials without a shift'),
      numberField(state.seed, { label: 'seed', min: 0, max: 4294967295 }),
      button('another seed', () => state.seed.set((state.seed.value + 1) % 4294967296)),
    ),
    html(
      'div',
      { class: 'statements' },
      ...statements.map((each) => each.element),
      C18.element,
      lost.element,
    ),
    html(
      'div',
      { class: 'kernel-tables', 'data-depth': 'understand' },
      html(
        'div',
        { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'The eight settings' },
        truth.element,
      ),
      html(
        'div',
        { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'The note’s run' },
        note.element,
      ),
    ),
  );

  /** @type {Sides | undefined} */
  let latest;
  /** @param {Sides} found */
  const draw = (found) => {
    const { setting } = found;
    const assumed = setting.unitKeys || setting.restore;
    PRECISIONS.forEach((precision, at) =>
      statements[at].show(finding(found[precision], precision, assumed)),
    );
    const precision = state.precision.value === 'float32' ? 'float32' : 'float64';
    const shown = found[precision];
    bell.show(shown, setting);
    const gaussian = state.bare.value ? shown.bare.weights : shown.gaussian;
    maps.show({ ...shown, gaussian }, precision, assumed);
    const { ratio, measured, allowed, holding, apart, differing } = truth.show(
      found.truths,
      setting,
    );
    C18.show({
      claim:
        'the identity needs equal key norms, or the factor that restores them, and nothing else',
      measured,
      allowed,
      ratio: holding === 6 && differing === 2 ? ratio : Infinity,
      text:
        `${holding === 6 ? 'all 6' : `only ${holding} of 6`} settings with it hold; ` +
        (differing === 2
          ? `the 2 without it differ by up to ${short(apart, 2)}`
          : `only ${differing} of the 2 without it ${differing === 1 ? 'differs' : 'differ'}`),
      data: { holding, differing },
    });
    const { nan, predicted } = found.float32.bare;
    lost.show({
      measured: Math.abs(nan - predicted),
      allowed: 0,
      text: `${nan} of ${N} rows are NaN in float32, ${predicted} expected`,
      data: { nan, predicted },
    });
  };
  const settings = () => ({
    seed: state.seed.value,
    T: state.T.value,
    unitQueries: state.unitQueries.value,
    unitKeys: state.unitKeys.value,
    restore: state.restore.value,
  });
  const compute = async () => {
    const found = /** @type {Sides | undefined} */ (
      await lab.ask('distance', 'sides', [settings()])
    );
    if (!found) return;
    latest = found;
    draw(found);
  };
  const recompute = async () => {
    const columns = await lab.ask('distance', 'note', [state.seed.value]);
    if (columns) note.show(columns);
  };
  const again = () => latest && draw(latest);
  onFrame(
    [state.T, state.seed, state.unitQueries, state.unitKeys, state.restore],
    () => void compute(),
  );
  onFrame([state.precision, state.bare], again);
  onFrame([state.seed], () => void recompute());
  document.addEventListener('themechange', again);
  for (const each of [...statements, C18, lost]) each.wait();
  await Promise.all([compute(), recompute()]);
  return {
    state: () => latest,
    code: () => codeOf({ ...settings(), precision: state.precision.value }),
    exports: { svg: () => bell.picture },
  };
}

/**
 * The finding of one precision. The worse of weights and outputs decides, and the
 * engine's own comparison has to come to the same verdict. Without the assumption the two have to
 * differ.
 * @param {Sides['float64' | 'float32']} found @param {string} precision @param {boolean} assumed
 * @returns {import('../../page/statement.js').Finding}
 */
function finding(found, precision, assumed) {
  const { weights, outputs, engineSays } = found;
  const worse = outputs.ratio > weights.ratio ? outputs : weights;
  const common = {
    data: {
      sigma2: found.sigma2,
      max: weights.max,
      frobenius: weights.frobenius,
      'output-max': outputs.max,
      'output-frobenius': outputs.frobenius,
      'softmax-oracle': found.softmaxOff,
      'gaussian-oracle': found.gaussianOff,
    },
    detail:
      'Each side against its own independent code below, largest difference of a weight: ' +
      `softmax ${scientific(found.softmaxOff)}, Gaussian ${scientific(found.gaussianOff)}.`,
  };
  if (assumed)
    return {
      ...common,
      measured: worse.measured,
      allowed: worse.allowed,
      ratio: engineSays.holds === found.holds ? Math.max(weights.ratio, outputs.ratio) : Infinity,
      text:
        `largest difference of a weight ${scientific(weights.max)}; the one nearest to its ` +
        `limit uses ${short(100 * Math.max(weights.ratio, outputs.ratio), 2)} % of it`,
    };
  const differ = weights.ratio > 1;
  return {
    ...common,
    broken: true,
    measured: weights.measured,
    allowed: weights.allowed,
    ratio: weights.ratio,
    claim: differ
      ? `keys of unequal norm, ${precision}: the two differ by up to ${short(weights.max, 2)}, ` +
        'as they should'
      : `keys of unequal norm, ${precision}: the two should differ, and they do not`,
    text: 'give the keys one length, or restore their lengths, and it holds',
  };
}
