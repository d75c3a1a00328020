/**
 * The recording of one pass. This is the surface for all that looks into a model:
 *
 *   model.reading(tokens, logits, { stats: false, record }, slice)
 *
 * returns { record } with one Float32Array for each name. Names of points.js have (layers, count,
 * width), where z is (layers, count, heads, headDim). A `pattern` has (layers, heads, t, length),
 * of all t tokens of the pass and all `length` positions that the caches then hold. A `final_scale`
 * has (count): √(mean x² + ε) of the last norm, by which it divides x.
 *
 * @typedef {import('./points.js').RecordName} RecordName
 * @typedef {import('./points.js').Point} Point
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('../../engine/memory.js').Memory} Memory
 * @typedef {import('../../engine/exports.d.ts').Pointer} Pointer
 * @typedef {Partial<Record<RecordName, Float32Array<ArrayBuffer>>>} Recorded
 *
 * @typedef {object} RecordRequest the records of a pass
 * @property {readonly RecordName[]} names
 * @property {readonly number[]} layers in order
 * @property {number} first row, of the pass's tokens
 * @property {number} count of rows
 */
import { ATTN_AT_RESID_POST, ATTN_EDIT_RECORD } from '../../engine/constants.js';
import { F32 } from '../../engine/tensor.js';
import { addEdits } from './edits.js';
import { POINTS, widthOf } from './points.js';

/**
 * Bytes of a record.
 * @param {ModelConfig} config
 * @param {readonly RecordName[]} names
 * @param {number} layers
 * @param {number} rows
 * @param {number} keys of a pattern
 */
export function recordBytes(config, names, layers, rows, keys) {
  const floats = (/** @type {RecordName} */ name) =>
    name === 'final_scale'
      ? rows
      : layers * rows * (name === 'pattern' ? config.heads * keys : widthOf(config, name));
  return names.reduce((sum, name) => sum + 4 * floats(name), 0);
}

/**
 * The record of the last of t tokens.
 * @param {Pick<RecordRequest, 'names' | 'layers'>} trace
 * @param {number} t
 * @returns {RecordRequest}
 */
export const recordOfLast = ({ names, layers }, t) => ({ names, layers, first: t - 1, count: 1 });

/** Names that a pass comes to before it leaves tokens without logits out of the last layer. */
const EARLY = ['resid_pre', 'pattern'];

/**
 * Makes a pass that has begun record.
 * @param {Memory} memory
 * @param {ModelConfig} config
 * @param {Pointer} pass
 * @param {RecordRequest} record
 * @param {{ t: number, length: number }} sizes of the pass
 * @param {number} outputs
 * @param {(bytes: number) => Pointer} allocate memory that lives as long as the pass
 */
export function beginRecording(memory, config, pass, record, sizes, outputs, allocate) {
  const recording = new Recording(memory, config, record, sizes, allocate);
  addEdits(memory, pass, recording.edits, allocate);
  for (const layer of record.layers) {
    const pattern = recording.patternAt(layer);
    if (pattern !== undefined)
      memory.c.attn_pass_want_weights(pass, layer, pattern, 0, config.heads, 1);
  }
  if (recording.needsAllTokens(outputs)) memory.c.attn_pass_want_all_tokens(pass);
  return recording;
}

/** The arrays of one pass, in wasm memory. */
export class Recording {
  #memory;
  #config;
  #record;
  /** @type {Map<RecordName, Pointer>} */
  #at = new Map();
  /** Its copies in the decoder. @type {import('./edits.js').Edit[]} */
  edits = [];

  /**
   * @param {Memory} memory
   * @param {ModelConfig} config
   * @param {RecordRequest} record
   * @param {{ t: number, length: number }} pass
   * @param {(bytes: number) => Pointer} allocate memory that lives as long as the pass
   */
  constructor(memory, config, record, { t, length }, allocate) {
    this.#memory = memory;
    this.#config = config;
    this.#record = record;
    this.t = t;
    this.length = length;
    const { names, layers, first, count } = record;
    for (const name of names) {
      if (name === 'pattern') {
        this.#at.set(name, allocate(4 * layers.length * config.heads * t * length));
        continue;
      }
      const of = name === 'final_scale' ? [config.layers - 1] : layers;
      const point = name === 'final_scale' ? ATTN_AT_RESID_POST : POINTS[name];
      const width = name === 'final_scale' ? config.modelDim : widthOf(config, name);
      const at = allocate(4 * of.length * count * width);
      this.#at.set(name, at);
      of.forEach((layer, x) =>
        this.edits.push({
          layer,
          point,
          kind: ATTN_EDIT_RECORD,
          rows: [first, count],
          data: at + 4 * x * count * width,
          stride: width,
        }),
      );
    }
  }

  /** Whether tokens without logits must reach the end of the last layer. @param {number} outputs */
  needsAllTokens(outputs) {
    const { names, layers, first } = this.#record;
    const last = layers.includes(this.#config.layers - 1);
    const late = (/** @type {RecordName} */ name) =>
      name === 'final_scale' || (last && !EARLY.includes(name));
    return first < this.t - outputs && names.some(late);
  }

  /** Where a layer's pattern (heads, t, length) lies, if it is recorded. @param {number} layer */
  patternAt(layer) {
    const at = this.#at.get('pattern');
    const index = this.#record.layers.indexOf(layer);
    return at === undefined || index < 0
      ? undefined
      : at + 4 * index * this.#config.heads * this.t * this.length;
  }

  /** Copies of all arrays. @returns {Recorded} */
  copies() {
    const { layers, count } = this.#record;
    const { heads } = this.#config;
    /** @type {Recorded} */
    const all = {};
    for (const [name, at] of this.#at)
      if (name === 'final_scale') all[name] = this.#scales(at);
      else {
        const rows =
          name === 'pattern' ? heads * this.t * this.length : count * widthOf(this.#config, name);
        all[name] = this.#memory.copy(F32, at, layers.length * rows);
      }
    return all;
  }

  /** √(mean x² + ε) of each row x. @param {Pointer} at */
  #scales(at) {
    const { modelDim, normEps } = this.#config;
    const x = this.#memory.view(F32, at, this.#record.count * modelDim);
    return Float32Array.from({ length: this.#record.count }, (_, row) => {
      let squares = 0;
      for (let c = row * modelDim; c < (row + 1) * modelDim; c++) squares += x[c] * x[c];
      return Math.sqrt(squares / modelDim + normEps);
    });
  }
}
