import { lengthOf } from '../arrays.js';
import { refuse } from '../errors.js';
import { ATTN_F32 } from '../engine/constants.js';
import { arrayOf } from '../engine/alias.js';
import { Block, F32, placeOf } from '../engine/tensor.js';

/** @typedef {import('../engine/tensor.js').Floats} Floats */

/** All layers, which no proxy or heir of one is among. @type {WeakSet<object>} */
export const known = new WeakSet();

/** @param {number} bytes */
const align = (bytes) => Math.ceil(bytes / 64) * 64;

/**
 * The memory of a layer in one block: its packed matrices and its vectors. Everything is checked
 * and measured before the block is allocated. A place is known by its distance from the block's
 * beginning.
 */
export class LayerStorage {
  #memory;
  /** @type {Block | undefined} */
  #block;
  /** @type {((at: number) => void)[]} */
  #fill = [];

  /** @param {import('../engine/memory.js').Memory} memory @param {object} layer */
  constructor(memory, layer) {
    known.add(layer);
    this.#memory = memory;
    this.bytes = 0;
  }

  /** @param {number} bytes @param {(at: number) => void} fill */
  add(bytes, fill) {
    const place = this.bytes;
    this.bytes += align(bytes);
    this.#fill.push((at) => fill(at + place));
    return place;
  }

  /**
   * Packs rows [first, first + rows) of w, as checked by `floats`.
   * @param {string} name
   * @param {Floats} w
   * @param {number} rows
   * @param {number} columns
   * @param {number} [first]
   */
  matrix(name, w, rows, columns, first = 0) {
    const memory = this.#memory;
    const bytes = memory.c.attn_matrix_bytes(ATTN_F32, rows, columns) >>> 0;
    if (!bytes) refuse('LIMIT', name, `of (${[rows, columns]})`, 'a matrix below 2 GiB');
    return this.add(bytes, (at) => {
      memory.c.attn_matrix_init(at, ATTN_F32, rows, columns);
      const source = memory.put(w, F32) + 4 * first * columns;
      memory.c.attn_matrix_pack(at, ATTN_F32, source, 0, rows);
    });
  }

  /** A vector as checked by `floats`, or −1 where there is none. @param {Floats | undefined} x */
  vector(x) {
    return x === undefined
      ? -1
      : this.add(4 * lengthOf(x), (at) => this.#memory.view(F32, at, lengthOf(x)).set(arrayOf(x)));
  }

  /** Allocates the block and fills it. */
  allocate() {
    const memory = this.#memory;
    this.#block = new Block(memory, this.bytes, 'layer');
    const at = placeOf(this.#block);
    try {
      for (const fill of this.#fill) memory.scope(() => fill(at));
    } catch (error) {
      this.dispose();
      throw error;
    }
    this.#fill = [];
  }

  /** The address of a place, 0 for none. @param {number} place */
  at(place) {
    const at = placeOf(/** @type {Block} */ (this.#block));
    return place < 0 ? 0 : at + place;
  }

  dispose() {
    this.#block?.dispose();
  }
}
