/**
 * Softmax attention is Gaussian smoothing, when the keys have equal norms or their norm is put
 * back. Three ways to break it.
 */
import { button, numberField, options, temperature, toggle } from '../../page/controls.js';
import { attentionRow, gaussianRow } from '../../math/oracle.js';
import { html } from '../../plot/dom.js';
import { scientific, short } from '../../plot/format.js';
import { onFrame } from '../../page/state.js';
import { Statement } from '../../page/statement.js';
import { Bell } from './bell.js';
import { compare, FLAT, oracleSides, STEEP } from './compute.js';
import { KernelMaps } from './maps.js';
import { NoteTable, TruthTable } from './tables.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */

const PRECISIONS = /** @type {const} */ (['float64', 'float32']);

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { engine, state }) {
  show(root, await engine(), state);
  return {};
}

/**
 * @param {HTMLElement} root
 * @param {Engine} engine
 * @param {ReturnType<typeof import('./state.js').state>} state
 */
function show(root, engine, state) {
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
      'Each of the six settings with the assumption is held to the allowance of C1; ' +
      'the other two only report.',
    oracles: [gaussianRow],
  });
  const T = temperature(state.T, (value) => `T ${short(value)}; sigma squared ${short(8 * value)}`);
  root.replaceChildren(
    html('div', { class: 'kernel-top' }, bell.element, maps.element),
    maps.tableHost,
    html(
      'div',
      { class: 'controls' },
      toggle(state.unitQueries, 'normalise q'),
      toggle(state.unitKeys, 'normalise k'),
      toggle(state.restore, 'restore key norm'),
      T.element,
    ),
    html(
      'div',
      { class: 'controls' },
      options(state.precision, 'Maps in', { float64: 'float64', float32: 'float32' }),
      numberField(state.seed, { label: 'seed', min: 0, max: 4294967295 }),
      button('another seed', () => state.seed.set((state.seed.value + 1) % 4294967296)),
    ),
    html('div', { class: 'statements' }, ...statements.map((each) => each.element), C18.element),
    html(
      'div',
      { class: 'kernel-tables' },
      html(
        'div',
        { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'The note’s run' },
        note.element,
      ),
      html(
        'div',
        { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'The eight settings' },
        truth.element,
      ),
    ),
  );

  const draw = () => {
    const setting = {
      seed: state.seed.value,
      T: state.T.value,
      unitQueries: state.unitQueries.value,
      unitKeys: state.unitKeys.value,
      restore: state.restore.value,
    };
    const assumed = setting.unitKeys || setting.restore;
    PRECISIONS.forEach((precision, at) => {
      const found = compare(engine, setting, precision);
      const sides = oracleSides(found, setting);
      const { weights, outputs, engineSays } = found;
      const data = {
        sigma2: found.sigma2,
        max: weights.max,
        frobenius: weights.frobenius,
        'output-max': outputs.max,
        'output-frobenius': outputs.frobenius,
        'softmax-oracle': sides.softmaxOff,
        'gaussian-oracle': sides.gaussianOff,
      };
      const detail =
        'Each kernel against its own oracle below, largest difference of a weight: ' +
        `softmax ${scientific(sides.softmaxOff)}, Gaussian ${scientific(sides.gaussianOff)}.`;
      // The worse of weights and outputs decides, and the engine's own comparison has to come to
      // the same verdict.
      const worse = outputs.ratio > weights.ratio ? outputs : weights;
      statements[at].show(
        assumed
          ? {
              measured: worse.measured,
              allowed: worse.allowed,
              ratio:
                engineSays.holds === found.holds
                  ? Math.max(weights.ratio, outputs.ratio)
                  : Infinity,
              data,
              detail,
              text:
                `max |ΔW| ${scientific(weights.max)}; closest to its limit: ` +
                `${scientific(worse.measured)}, allowed ${scientific(worse.allowed)}`,
            }
          : {
              verdict: 'off',
              measured: weights.measured,
              allowed: weights.allowed,
              ratio: weights.ratio,
              data,
              detail,
              claim:
                `keys of unequal norm, ${precision}: the two differ by up to ` +
                `${short(weights.max, 2)}, as they should`,
              text: 'normalise k or restore its norm, and it holds',
            },
      );
      if (precision === state.precision.value) {
        bell.show(found, setting);
        maps.show(found, precision, assumed);
      }
    });
    const { ratio, measured, allowed, holding, apart } = truth.show(engine, setting);
    C18.show({
      claim:
        'the identity needs equal key norms, or the factor that restores them, and nothing else',
      measured,
      allowed,
      ratio,
      text:
        `${holding === 6 ? 'all 6' : `only ${holding} of 6`} settings with it hold; ` +
        `the 2 without it differ by up to ${short(apart, 2)}`,
      data: { holding },
    });
    note.show(engine, setting.seed);
  };
  onFrame(
    [state.T, state.seed, state.unitQueries, state.unitKeys, state.restore, state.precision],
    draw,
  );
  document.addEventListener('themechange', draw);
  draw();
}
