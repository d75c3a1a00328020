import { POINTS, widthOf } from './points.js';

/**
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('./points.js').Point} Point
 * @typedef {import('./recording.js').Recorded} Recorded
 * @typedef {import('./recording.js').RecordRequest} RecordRequest
 */

/** Chosen positions of a prompt, from the recordings of its chunks. */
export class Assembly {
  #config;
  #layers;
  #positions;
  #keys;
  /** @type {Recorded} */
  arrays = {};

  /**
   * @param {ModelConfig} config
   * @param {Pick<RecordRequest, 'names' | 'layers'>} record
   * @param {readonly number[]} positions in order
   * @param {number} keys of a pattern
   */
  constructor(config, { names, layers }, positions, keys) {
    this.#config = config;
    this.#layers = layers.length;
    this.#positions = positions;
    this.#keys = keys;
    for (const name of names)
      this.arrays[name] = new Float32Array(this.#rows(name) * positions.length * this.#row(name));
  }

  /** The rows of one position. @param {string} name */
  #rows(name) {
    if (name === 'final_scale') return 1;
    return name === 'pattern' ? this.#layers * this.#config.heads : this.#layers;
  }

  /** The numbers of a row. @param {string} name */
  #row(name) {
    if (name in POINTS) return widthOf(this.#config, /** @type {Point} */ (name));
    return name === 'pattern' ? this.#keys : 1;
  }

  /**
   * Copies the positions of a pass.
   * @param {Recorded} recorded
   * @param {number} from position of the pass's first token
   * @param {number} t its tokens
   * @param {Pick<RecordRequest, 'first' | 'count'>} rows that it has recorded
   */
  add(recorded, from, t, { first, count }) {
    for (const [name, source] of Object.entries(recorded)) {
      const target = this.arrays[/** @type {keyof Recorded} */ (name)];
      const whole = name === 'pattern';
      const [start, each] = whole ? [from, t] : [from + first, count];
      const size = whole ? from + t : this.#row(name);
      this.#positions.forEach((position, p) => {
        const row = position - start;
        if (row < 0 || row >= each) return;
        for (let x = 0; x < this.#rows(name); x++) {
          const at = (x * each + row) * size;
          const to = (x * this.#positions.length + p) * this.#row(name);
          target?.set(source.subarray(at, at + size), to);
        }
      });
    }
  }
}
