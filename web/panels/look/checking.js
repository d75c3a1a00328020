/** The verdicts are those of the row on show, and as long as it was not compared there are none. */
import { checkedRow } from './send.js';

/**
 * @typedef {object} Parts
 * @property {import('./writing/writer.js').Writer} writer
 * @property {import('../../page/model.js').SharedModel} model
 * @property {import('./said.js').Said} said
 * @property {import('./selection.js').Selection} selection
 */

export class Checking {
  /**
   * @param {Parts} parts
   * @param {(row: import('../../page/row.js').Row) => void} send a locked row that was checked
   */
  constructor(parts, send) {
    this.parts = parts;
    this.send = send;
    /** Changes of the story, counted. */
    this.changes = 0;
    /** The row that was asked for last, or the reason why none was. */
    this.asked = '';
    /** The locked row that was sent last. A story that is read again has the same one. */
    this.sent = '';
    /** Of the model. @type {import('../../page/model.js').SharedModel['source']} */
    this.source = undefined;
  }

  /** The reason why the row on show is not compared, or ''. */
  get hindrance() {
    const { writer, selection } = this.parts;
    if (writer.error) return 'the model does not answer';
    if (!['paused', 'over'].includes(writer.phase)) return 'it is checked when the story rests';
    return selection.word < 1 ? 'the first word can only look at itself' : '';
  }

  /** The row with everything that its numbers depend on. */
  get row() {
    const { selection, writer } = this.parts;
    const { head, word, state } = selection;
    const { T } = writer.settings;
    return [head.layer, head.head, word, state.at.value, T, this.changes].join();
  }

  /** Compares the row on show, if that was not done. */
  check() {
    const { hindrance, parts } = this;
    const { source } = parts.model;
    if (parts.selection.state.at.value < 0 || source !== this.source) this.sent = '';
    this.source = source;
    const asked = hindrance || this.row;
    if (asked === this.asked) return;
    this.asked = asked;
    parts.said.unchecked(hindrance);
    if (!hindrance) void this.compare();
  }

  async compare() {
    const { asked } = this;
    const { said, selection } = this.parts;
    const { head, word, state } = selection;
    const found = await checkedRow(this.parts, head, word);
    // another row is on show by now
    if (asked !== this.asked) return said.unchecked(this.hindrance);
    if (!found || state.at.value !== word) return;
    const { source, layer, temperature, ids } = found;
    const sent = [source, layer, found.head, temperature, ids].join();
    if (sent === this.sent) return;
    this.sent = sent;
    this.send(found);
  }
}
