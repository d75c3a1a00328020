/** The looks on show: of the head of the row, or of an example. */
import { onSight } from '../../page/layout.js';
import { privateText } from '../../page/signal.js';
import { layerOf } from './layer.js';

/** @typedef {import('./layer.js').Layer} Layer */
/** @typedef {import('../../page/row.js').Row} Row */

const WAITING = 'its keys are on their way';
const BUSY = 'another panel has the model';

export class Source {
  /**
   * @param {import('../../page/row.js').RowBus} bus
   * @param {import('../../page/model.js').SharedModel} model
   */
  constructor(bus, model) {
    this.bus = bus;
    this.model = model;
    /** The row that the model was asked about. @type {Row | undefined} */
    this.asked = undefined;
    /** Of the model at that time: its files. */
    this.files = model.source;
    this.failed = false;
    this.visible = false;
    this.unfit = privateText();
    /** Of a row; undefined: the looks are those of the example. @type {Layer | undefined} */
    this.layer = undefined;
    /** The row that has the layer. @type {Row | undefined} */
    this.of = undefined;
    /** Whose numbers are in the figure; undefined: the example. @type {Layer | undefined} */
    this.figure = undefined;
    /** Why they are not those of the row, or ''. */
    this.reason = '';
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
    this.model.on(({ phase, source }) => {
      if (phase === 'ready' && (this.failed || source !== this.files)) this.change();
    });
    onSight(element, (visible) => {
      this.visible = visible;
      void this.read();
    });
    this.change();
  }

  /** Another row, or another model. */
  change() {
    const { value: row } = this.bus;
    this.asked = undefined;
    this.files = this.model.source;
    const reason = row && this.unfitting(row);
    if (row && !reason) this.wait(WAITING);
    else this.showExample(reason);
    void this.read();
  }

  /** Why a row has no bounds, or ''. @param {Row} row */
  unfitting({ temperature, ids, source }) {
    if (!ids) return 'it is not of the model';
    if (source !== this.model.name) return 'it is of another model';
    return temperature > 0 && temperature < Infinity ? '' : 'the bounds need a T between 0 and ∞';
  }

  /** The row before stays in the figure, where it is of this model. @param {string} reason */
  wait(reason) {
    this.reason = this.isOfTheRow(this.figure) ? '' : reason;
    if (this.layer?.files !== this.files) this.show(undefined);
    this.tell();
  }

  tell() {
    const figure = this.figure ? 'the row before' : 'an example';
    this.unfit.set(this.reason && `Not the row, since ${this.reason}. This is ${figure}.`);
  }

  /** @param {Layer | undefined} layer undefined: the example @param {Row} [row] that has it */
  show(layer, row) {
    if (layer === this.layer) return;
    this.layer = layer;
    this.of = row;
    for (const listener of this.listeners) listener();
  }

  /** @param {string} [reason] why it is not the row */
  showExample(reason = '') {
    this.reason = reason;
    this.show(undefined);
    this.tell();
  }

  /** The numbers of a layer are in the figure. @param {Layer | undefined} layer */
  drawn(layer) {
    this.figure = layer;
    if (this.isOfTheRow(layer)) this.reason = '';
    this.tell();
  }

  /** The numbers of a layer did not come. @param {Layer | undefined} layer */
  lost(layer) {
    if (!this.isOfTheRow(layer)) return;
    this.reason = 'its bounds did not come';
    this.tell();
  }

  /** @param {Layer | undefined} layer */
  isOfTheRow(layer) {
    return layer !== undefined && layer === this.layer && this.of === this.bus.value;
  }

  /** Asks the model, where that is due. @returns {Promise<void>} */
  async read() {
    const { value: row } = this.bus;
    if (!row?.ids || !this.visible || this.asked === row || this.unfitting(row)) return;
    this.asked = row;
    this.failed = false;
    const { model } = this;
    const { ids } = row;
    const files = model.source;
    /** @type {Awaited<ReturnType<typeof layerOf>>} */
    let found;
    try {
      found = await model.use((remote, signal) => layerOf(remote, { ...row, ids }, signal));
    } catch (error) {
      found = `the model did not answer: ${/** @type {Error} */ (error).message}`;
      this.failed = this.asked === row;
    }
    if (this.asked !== row) return;
    if (this.failed) this.asked = undefined;
    if (typeof found === 'string') return this.showExample(found);
    if (found) return this.show({ ...found, files }, row);
    // the turn was ended
    this.asked = undefined;
    this.wait(BUSY);
    await model.quiet();
    return this.read();
  }
}
