/** The looks on show: of the head of the row, or of an example. */
import { onSight } from '../../page/layout.js';
import { privateText } from '../../page/signal.js';
import { layerOf } from './layer.js';

/** @typedef {import('./layer.js').Layer} Layer */

/** Why a row has no bounds, or ''. @param {import('../../page/row.js').Row} row */
function hindrance({ temperature, ids }) {
  if (!ids) return 'it is not of the model';
  return temperature > 0 && temperature < Infinity ? '' : 'the bounds need a T between 0 and ∞';
}

export class Source {
  /**
   * @param {import('../../page/row.js').RowBus} bus
   * @param {import('../../page/model.js').SharedModel} model
   */
  constructor(bus, model) {
    this.bus = bus;
    this.model = model;
    /** The row that was read last. @type {import('../../page/row.js').Row | undefined} */
    this.of = undefined;
    this.visible = false;
    this.unfit = privateText();
    /** @type {Layer | undefined} */
    this.looks = undefined;
    /** @type {Set<() => void>} */
    this.listeners = new Set();
  }

  /** @param {() => void} listener */
  on(listener) {
    this.listeners.add(listener);
  }

  /** Follows the row. The model is asked when a reader looks. @param {Element} element */
  follow(element) {
    this.bus.on(() => this.change());
    onSight(element, (visible) => {
      this.visible = visible;
      void this.read();
    });
    this.change();
  }

  change() {
    const { value: row } = this.bus;
    this.of = undefined;
    this.show(row && (hindrance(row) || 'its keys are on their way'));
    void this.read();
  }

  /** @param {Layer | string | undefined} found or the reason why it is the example */
  show(found) {
    const looks = typeof found === 'string' ? undefined : found;
    this.unfit.set(typeof found === 'string' ? found : '');
    if (looks === this.looks) return;
    this.looks = looks;
    for (const listener of this.listeners) listener();
  }

  async read() {
    const { value: row } = this.bus;
    if (!row?.ids || !this.visible || this.of === row || hindrance(row)) return;
    this.of = row;
    const { ids } = row;
    try {
      const found = await this.model.use((remote, signal) =>
        layerOf(remote, { ...row, ids }, signal),
      );
      if (row !== this.bus.value) return;
      if (found) this.show(found);
      else this.of = undefined;
    } catch (error) {
      if (row !== this.bus.value) return;
      this.show(`the model did not answer: ${/** @type {Error} */ (error).message}`);
    }
  }
}
