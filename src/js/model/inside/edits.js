/**
 * Copies and changes in the middle of a pass, as decoder.h has them.
 *
 * @typedef {import('../../engine/memory.js').Memory} Memory
 * @typedef {import('../../engine/exports.d.ts').Pointer} Pointer
 *
 * @typedef {object} Edit
 * @property {number} layer
 * @property {number} point an ATTN_AT
 * @property {number} kind an ATTN_EDIT
 * @property {readonly [number, number]} [rows] the first and their number; default all. They are
 *   positions, and in an edit of a single pass its tokens
 * @property {readonly [number, number]} [columns] the same; default all
 * @property {Pointer | undefined} [data]
 * @property {number} [stride] from one row of the data to the next; 0: all rows have the same
 * @property {number} [gain]
 *
 * @typedef {Omit<Edit, 'data'> & { numbers?: Float32Array | undefined }} PlannedEdit whose data is
 *   still in JavaScript
 */
import { ATTN_EDIT_RECORD } from '../../engine/constants.js';

/**
 * Makes edits one behind the other.
 * @param {Memory} memory
 * @param {readonly Edit[]} edits
 * @param {Pointer} first where they begin
 * @param {(at: Pointer, edit: Edit) => void} add
 */
function makeEdits({ c }, edits, first, add) {
  const bytes = bytesOfOne(c);
  edits.forEach((edit, index) => {
    const { rows, columns, data, stride = 0, gain } = edit;
    const at = first + index * bytes;
    add(at, edit);
    if (rows) c.attn_edit_set_rows(at, rows[0], rows[1]);
    if (columns) c.attn_edit_set_columns(at, columns[0], columns[1]);
    if (data) c.attn_edit_set_data(at, data, stride);
    if (gain !== undefined) c.attn_edit_set_gain(at, gain);
  });
}

/** @param {Memory['c']} c */
const bytesOfOne = (c) => Math.ceil(c.attn_edit_bytes() / 16) * 16;

/** The edits that each pass of a decoder has, in memory of their own. */
export class KeptEdits {
  #memory;
  #decoder;
  #block = { at: 0, bytes: 0 };
  /** Those that copy, with the arrays that are to have the copies. */
  #copies = /** @type {{ data: Pointer, numbers: Float32Array }[]} */ ([]);

  /** @param {Memory} memory @param {Pointer} decoder */
  constructor(memory, decoder) {
    this.#memory = memory;
    this.#decoder = decoder;
  }

  /**
   * Replaces them. No pass may be on its way.
   * @param {PlannedEdit[]} planned
   */
  set(planned) {
    const { c } = this.#memory;
    const size = planned.reduce((sum, { numbers }) => sum + (numbers?.length ?? 0), 0);
    const first = planned.length * bytesOfOne(c);
    const bytes = first + 4 * size;
    const at = bytes ? this.#memory.allocate(bytes) : 0;
    this.dispose();
    this.#block = { at, bytes };
    let next = at + first;
    const edits = planned.map(({ numbers, ...edit }) => {
      if (!numbers) return edit;
      const data = next;
      this.#memory.view('float32', data, numbers.length).set(numbers);
      next += 4 * numbers.length;
      if (edit.kind === ATTN_EDIT_RECORD) this.#copies.push({ data, numbers });
      return { ...edit, data };
    });
    makeEdits(this.#memory, edits, at, (place, { layer, point, kind }) =>
      c.attn_decoder_add_edit(this.#decoder, place, layer, point, kind),
    );
  }

  /** Fetches the copies that a pass has made. */
  fetch() {
    for (const { data, numbers } of this.#copies)
      numbers.set(this.#memory.view('float32', data, numbers.length));
  }

  dispose() {
    const { at, bytes } = this.#block;
    this.#memory.c.attn_decoder_clear_edits(this.#decoder);
    if (bytes) this.#memory.release(at, bytes);
    this.#block = { at: 0, bytes: 0 };
    this.#copies = [];
  }
}

/**
 * Adds edits to a pass that has begun.
 * @param {Memory} memory
 * @param {Pointer} pass
 * @param {readonly Edit[]} edits
 * @param {(bytes: number) => Pointer} allocate memory that lives as long as the pass
 */
export function addEdits(memory, pass, edits, allocate) {
  if (!edits.length) return;
  const first = allocate(edits.length * bytesOfOne(memory.c));
  makeEdits(memory, edits, first, (at, { layer, point, kind }) =>
    memory.c.attn_pass_add_edit(pass, at, layer, point, kind),
  );
}

/**
 * Gives the layers of a pass the masks of interventions.
 * @param {Memory} memory
 * @param {Pointer} pass
 * @param {import('./interventions.js').Interventions} interventions
 * @param {{ from: number, t: number, length: number }} rows of the pass
 * @param {(bytes: number) => Pointer} allocate memory that lives as long as the pass
 */
export function addMasks(memory, pass, interventions, rows, allocate) {
  const bytes = interventions.maskBytes(rows.length) * rows.t;
  if (!bytes) return;
  const at = allocate(bytes);
  const numbers = memory.view('float32', at, bytes / 4).fill(0);
  interventions.writeMasks(numbers, rows, ({ layer, heads }, start) =>
    memory.c.attn_pass_set_mask(pass, layer, at + 4 * start, heads),
  );
}
