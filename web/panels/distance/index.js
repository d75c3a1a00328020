/**
 * Softmax attention is Gaussian smoothing, when the keys have equal norms or their norm is put
 * back. Three ways to break it.
 */
import { options, temperature, toggle } from '../../page/controls.js';
import { onFrame } from '../../page/frames.js';
import {
  block,
  controlsRow,
  orGiveUp,
  scrolling,
  seedControls,
  verdicts,
  wait,
} from '../../page/layout.js';
import { html } from '../../plot/dom.js';
import { short } from '../../plot/format.js';
import { Bell } from './bell.js';
import { Checks } from './checks.js';
import { codeOf } from './code.js';
import { KernelMaps } from './maps.js';
import { NoteTable, TruthTable } from './tables.js';
import { Why } from './why.js';

/** @typedef {import('./checks.js').Sides} Sides */
/** @typedef {ReturnType<typeof import('./state.js').state>} State */

/** @type {import('../../page/panels.js').Build} */
export async function build(root, context) {
  const { state, lab } = context;
  const why = new Why(state, context);
  const pictures = new Pictures(state, why);
  root.replaceChildren(...pictures.laidOut());
  /** @type {Sides | undefined} */
  let latest;
  const compute = async () => {
    latest = undefined;
    const found = /** @type {Sides | undefined} */ (
      await lab.ask('distance', 'sides', [settingOf(state)])
    );
    if (!found) return;
    latest = found;
    pictures.show(found);
  };
  const recompute = async () => {
    const columns = await lab.ask('distance', 'note', [state.seed.value]);
    if (columns) pictures.note.show(columns);
  };
  const again = () => latest && pictures.show(latest);
  const { T, seed, unitQueries, unitKeys, restore, precision, bare } = state;
  const { all } = pictures.checks;
  onFrame([T, seed, unitQueries, unitKeys, restore], () => void orGiveUp(all, compute()));
  onFrame([precision, bare], again);
  onFrame([seed], () => void orGiveUp([], recompute()));
  document.addEventListener('themechange', again);
  wait(all);
  await Promise.all([compute(), recompute(), why.listen()]);
  return {
    settled: () => lab.settled('distance'),
    state: () => ({ ...latest, why: why.shown }),
    code: () => codeOf({ ...settingOf(state), precision: precision.value }),
    exports: { svg: () => pictures.bell.picture },
  };
}

/** @param {State} state */
const settingOf = ({ seed, T, unitQueries, unitKeys, restore }) => ({
  seed: seed.value,
  T: T.value,
  unitQueries: unitQueries.value,
  unitKeys: unitKeys.value,
  restore: restore.value,
});

/** The pictures, the tables and the statements, which show one comparison together. */
class Pictures {
  /** @param {State} state @param {Why} why */
  constructor(state, why) {
    this.state = state;
    this.why = why;
    this.bell = new Bell();
    this.maps = new KernelMaps((cell) => this.bell.mark(cell));
    this.note = new NoteTable();
    this.truth = new TruthTable(({ unitQueries, unitKeys, restore }) => {
      state.unitQueries.set(unitQueries);
      state.unitKeys.set(unitKeys);
      state.restore.set(restore);
    });
    this.checks = new Checks();
  }

  laidOut() {
    const { bell, maps, note, truth, checks, state, why } = this;
    const tables = block(
      'kernel-tables',
      scrolling('The eight settings', truth.element),
      scrolling('The note’s run', note.element),
    );
    tables.dataset.depth = 'understand';
    return [
      block('kernel-top', html('div', {}, bell.element, switches(state)), maps.element),
      maps.tableHost,
      doubts(state),
      why.element,
      verdicts([...checks.all, ...Object.values(why.checks)]),
      tables,
    ];
  }

  /** @param {Sides} found */
  show(found) {
    const { setting } = found;
    const assumed = setting.unitKeys || setting.restore;
    const precision = this.state.precision.value === 'float32' ? 'float32' : 'float64';
    const shown = found[precision];
    this.bell.show(shown, setting);
    const gaussian = this.state.bare.value ? shown.bare.weights : shown.gaussian;
    this.maps.show({ ...shown, gaussian }, precision, assumed);
    this.checks.show(found, assumed, this.truth.show(found.truths, setting));
  }
}

/** @param {State} state */
const switches = (state) =>
  controlsRow(
    toggle(state.unitKeys, 'keys of one length'),
    toggle(state.unitQueries, 'queries of one length'),
    toggle(state.restore, 'divide key length out'),
    temperature(state.T, (T) => `T ${short(T)}; width ${short(Math.sqrt(8 * T))}`, { min: 5e-4 })
      .element,
  );

/** @param {State} state */
function doubts({ precision, bare, seed }) {
  const row = controlsRow(
    options(precision, 'Maps in', { float64: 'float64', float32: 'float32' }),
    toggle(bare, 'exponentials without a shift'),
    ...seedControls(seed),
  );
  row.dataset.depth = 'doubt';
  return row;
}
