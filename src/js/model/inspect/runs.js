/** Runs of one prompt, whole or from the middle. */
import { ClearheadError } from '../../errors.js';
import { ATTN_EDIT_REPLACE, ATTN_EDIT_SCALE } from '../../engine/constants.js';
import { F32 } from '../../engine/tensor.js';
import { Assembly } from '../inside/assemble.js';
import { recordBytes } from '../inside/recording.js';

/**
 * @typedef {import('../inside/points.js').Point} Point
 *
 * @typedef {object} Change of one layer
 * @property {number} layer
 * @property {number} position the first that changes
 * @property {number} rows from there on
 * @property {number} point an ATTN_AT
 * @property {readonly [number, number]} columns the first and their number
 * @property {((position: number) => Float32Array) | null} values of a position, all columns; null:
 *   zeros
 */

/** Bytes that the record of a prompt may have. */
const MAX_BYTES = 2 ** 29;

export class Runs {
  #model;
  #reader;
  #memory;
  #logits;

  /**
   * @param {import('../run/model.js').Model} model
   * @param {ReturnType<typeof import('../reading/reader.js').createReader>} reader
   */
  constructor(model, reader) {
    this.#model = model;
    this.#reader = reader;
    this.#memory = model.ready().memory;
    this.#logits = new Float32Array(model.config.vocab);
  }

  /** Some tokens after the others, as many at once as a prompt has.
   * @param {number[]} ids @param {number} from */
  *#chunks(ids, from) {
    for (let at = from; at < ids.length;) {
      const tokens = ids.slice(at, at + this.#model.chunk(ids.length - at));
      const end = at + tokens.length;
      yield { at, tokens, logits: end === ids.length ? this.#logits : null };
      at = end;
    }
  }

  /**
   * Reads a prompt from its beginning and records all positions of these points.
   * @param {number[]} ids
   * @param {readonly Point[]} names
   */
  async record(ids, names) {
    const { config, sequence } = this.#model;
    const layers = [...Array(config.layers).keys()];
    const bytes = recordBytes(config, names, config.layers, ids.length, 0);
    if (bytes > MAX_BYTES)
      throw new ClearheadError(
        'LIMIT',
        `the prompt has ${ids.length} tokens, whose record has ${bytes} bytes; ` +
          `expected at most ${MAX_BYTES}, a shorter prompt`,
      );
    const whole = new Assembly(config, { names, layers }, [...ids.keys()], 0);
    sequence.cut(0);
    for (const { at, tokens, logits } of this.#chunks(ids, 0)) {
      const rows = { first: 0, count: tokens.length };
      const record = { names, layers, ...rows };
      const read = await this.#reader.read(tokens, logits, { stats: false, record });
      whole.add(read.record ?? {}, at, tokens.length, rows);
    }
    return {
      arrays: /** @type {Record<Point, Float32Array>} */ (whole.arrays),
      logits: this.#logits.slice(),
    };
  }

  /** Reads a prompt from its beginning. @param {number[]} ids */
  async fill(ids) {
    this.#model.sequence.cut(0);
    for (const { tokens } of this.#chunks(ids, 0))
      await this.#reader.read(tokens, null, { stats: false });
  }

  /**
   * The logits with a change, which only its layer and those behind it compute again. The cache has
   * the positions before it, as those layers left them.
   * @param {number[]} ids
   * @param {Float32Array} stream resid_pre of all layers and positions, without the change
   * @param {Change} change
   * @returns {Promise<Float32Array>} gone with the next call
   */
  async changed(ids, stream, change) {
    const { config, sequence } = this.#model;
    const { layer, position } = change;
    const row = (/** @type {number} */ at) => (layer * ids.length + at) * config.modelDim;
    sequence.cut(position);
    for (const { at, tokens, logits } of this.#chunks(ids, position)) {
      const start = { layer, x: stream.subarray(row(at), row(at + tokens.length)) };
      const rows = Math.min(change.rows - (at - position), tokens.length);
      const edits = (/** @type {(bytes: number) => number} */ allocate) =>
        rows > 0 ? [this.#edit(change, at, rows, allocate)] : [];
      await this.#reader.read(tokens, logits, { stats: false, start, edits });
    }
    return this.#logits;
  }

  /**
   * @param {Change} change
   * @param {number} at position of the pass's first token
   * @param {number} count of rows
   * @param {(bytes: number) => number} allocate
   */
  #edit({ layer, point, columns, values }, at, count, allocate) {
    const [first, width] = columns;
    const edit = { layer, point, rows: /** @type {[number, number]} */ ([0, count]), columns };
    if (!values) return { ...edit, kind: ATTN_EDIT_SCALE, gain: 0 };
    const data = allocate(4 * count * width);
    const view = this.#memory.view(F32, data, count * width);
    for (let i = 0; i < count; i++)
      view.set(values(at + i).subarray(first, first + width), i * width);
    return { ...edit, kind: ATTN_EDIT_REPLACE, data, stride: width };
  }
}
