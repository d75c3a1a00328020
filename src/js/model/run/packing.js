import { ClearheadError } from '../../errors.js';
import { STATUS, checkStatus } from '../../engine/status.js';
import { Block, placeOf } from '../../engine/tensor.js';
import { TYPES } from '../files/formats.js';

/**
 * The weights of a model in wasm memory. Each tensor is packed for the kernels row by row as its
 * bytes arrive, so that the whole file is never in memory beside it.
 * @typedef {import('../../engine/memory.js').Memory} Memory
 * @typedef {import('../types.d.ts').TensorInfo} TensorInfo
 * @typedef {object} Arriving the tensor whose bytes are coming
 * @property {TensorInfo} tensor
 * @property {number} place of its matrix
 * @property {number} columns
 * @property {number} row the next to be packed
 * @property {number} rowBytes
 * @property {number} filled bytes in the stage
 * @property {number} from its type in the file, by its number in GGUF
 */

/** Bytes that arrive before they are packed; more where a row is longer. */
const STAGE = 2 ** 20;

/** Bytes that wasm memory can have. */
export const ADDRESSES = 2 ** 32;

/**
 * Weights of Q5_0 decode faster when they are repacked as Q8_0 (tuning.md#q5-as-bytes). This may
 * cost up to this many bytes of memory in all.
 */
const MAX_SPARE = 32 * 2 ** 20;
/** The gain has not been measured with more threads. */
const MAX_REPACKING_THREADS = 2;
/** Of larger models the spare bytes would speed up too small a part. */
const MAX_REPACKED_TOTAL = 2 ** 30;

/** The growth of a tensor of Q5_0 that is repacked, in parts of its size. */
const REPACKING_GROWTH = TYPES.Q8_0.bytes / TYPES.Q5_0.bytes - 1;

export class Packing {
  /**
   * Addresses by the tensor's name: of an attn_matrix, or of a vector's floats.
   * @type {Map<string, number>}
   */
  at = new Map();
  /** Bytes of wasm memory. */
  bytes = 0;
  /** By their addresses. @type {Map<number, { block: Block, bytes: number }>} */
  #blocks = new Map();
  /** @type {Arriving | undefined} */
  #now;
  #stage = { at: 0, bytes: 0 };
  /** Bytes of tensors. */
  #received = 0;

  /**
   * @param {Memory} memory
   * @param {number} total bytes of all tensors in the file
   * @param {object} how
   * @param {boolean} how.q8 whether matrices of floats become Q8_0
   * @param {(tensor: TensorInfo) => number} how.offset added to the numbers of a vector
   * @param {number} how.beside bytes that are needed beside the weights
   * @param {string | null} how.lookedUp the tensor whose rows are looked up and never multiplied
   */
  constructor(memory, total, { q8, offset, beside, lookedUp }) {
    if (!q8 && memory.top + total > ADDRESSES)
      throw new ClearheadError(
        'OOM',
        `the weights have ${total} bytes; expected space for them below 4 GiB`,
      );
    this.memory = memory;
    this.q8 = q8;
    this.offset = offset;
    /** Bytes of all tensors; 0 with q8, when the file does not tell the memory they will need. */
    this.expected = q8 ? 0 : total;
    this.lookedUp = lookedUp;
    const kind = (/** @type {'Q5_0' | 'Q8_0'} */ type) =>
      memory.c.attn_multiply_kind(TYPES[type].id);
    const possible =
      (memory.pool?.threads ?? 1) <= MAX_REPACKING_THREADS &&
      total <= MAX_REPACKED_TOTAL &&
      kind('Q5_0') === kind('Q8_0');
    /**
     * Bytes that repacking may still cost. None where Q5_0 has products of its own, which are
     * faster for prompts.
     */
    this.spare = possible
      ? Math.min(MAX_SPARE, Math.max(0, ADDRESSES - memory.top - total - beside))
      : 0;
  }

  /**
   * Memory grows by the size of a tensor that has begun, or by as much as has arrived if that is
   * more. So it grows a few times, and not for tensors that a header names and that never arrive.
   * @param {number} bytes
   */
  allocate(bytes) {
    const { memory } = this;
    const ahead = Math.max(bytes, Math.min(this.#received, this.expected - this.bytes));
    if (memory.top + bytes > memory.buffer.byteLength) memory.scope(() => void memory.push(ahead));
    const block = new Block(memory, bytes, 'model');
    const at = placeOf(block);
    this.#blocks.set(at, { block, bytes });
    this.bytes += bytes;
    return at;
  }

  /**
   * As in WeightSink.
   * @param {TensorInfo} tensor
   * @param {number} offset
   * @param {Uint8Array} chunk
   */
  write(tensor, offset, chunk) {
    this.#received += chunk.length;
    if (this.#now?.tensor !== tensor) this.#open(tensor);
    const now = /** @type {Arriving} */ (this.#now);
    const { memory } = this;
    for (let copied = 0; copied < chunk.length;) {
      const count = Math.min(chunk.length - copied, this.#stage.bytes - now.filled);
      memory
        .view('uint8', this.#stage.at + now.filled, count)
        .set(chunk.subarray(copied, copied + count));
      copied += count;
      now.filled += count;
      const rows = Math.floor(now.filled / now.rowBytes);
      const used = rows * now.rowBytes;
      if (!rows) continue;
      this.#pack(rows);
      now.row += rows;
      now.filled -= used;
      memory.view('uint8', this.#stage.at, used + now.filled).copyWithin(0, used);
    }
    if (offset + chunk.length === tensor.bytes) this.#close();
  }

  /** @param {TensorInfo} tensor */
  #open(tensor) {
    const { memory } = this;
    const columns = tensor.shape[tensor.shape.length - 1];
    const rows = tensor.shape.length > 1 ? tensor.shape[0] : 1;
    const { id: from, block } = TYPES[tensor.type];
    const rowBytes = memory.c.attn_matrix_row_bytes(from, columns) >>> 0;
    const more =
      tensor.type === 'Q5_0' && tensor.name !== this.lookedUp
        ? tensor.bytes * REPACKING_GROWTH
        : Infinity;
    const repacked = more <= this.spare;
    if (repacked) this.spare -= more;
    const inBytes =
      repacked || (this.q8 && rows > 1 && block === 1 && columns % TYPES.Q8_0.block === 0);
    const type = inBytes ? TYPES.Q8_0.id : from;
    const bytes = memory.c.attn_matrix_bytes(type, rows, columns) >>> 0;
    if (inBytes) this.expected += bytes - tensor.bytes;
    if (!bytes || !rowBytes)
      throw new ClearheadError(
        'LIMIT',
        `the tensor ${tensor.name} is ${tensor.type} of (${tensor.shape}); ` +
          'expected matrices up to 2 GiB',
      );
    const stageBytes = Math.max(STAGE, rowBytes);
    if (stageBytes > this.#stage.bytes) {
      this.#dropStage();
      this.#stage = { at: memory.allocate(stageBytes), bytes: stageBytes };
    }
    const place = this.allocate(bytes);
    checkStatus(
      memory.c.attn_matrix_init(place, type, rows, columns),
      'tensor',
      tensor.name,
      'a matrix',
    );
    this.#now = { tensor, place, columns, row: 0, rowBytes, filled: 0, from };
  }

  /** @param {number} rows whole ones in the stage */
  #pack(rows) {
    const { place, from, row } = /** @type {Arriving} */ (this.#now);
    const status = this.memory.c.attn_matrix_pack(place, from, this.#stage.at, row, rows);
    if (status)
      throw new ClearheadError(
        STATUS[status],
        `the tensor ${this.#now?.tensor.name} could not be packed`,
      );
  }

  #close() {
    const { tensor, place, columns } = /** @type {Arriving} */ (this.#now);
    const { memory } = this;
    this.#now = undefined;
    if (tensor.shape.length > 1) return void this.at.set(tensor.name, place);
    // vectors become floats; norms that are stored as w − 1 become w
    const at = this.allocate(columns * 4);
    const more = this.offset(tensor);
    memory.c.attn_matrix_row(place, 0, at);
    const floats = memory.view('float32', at, columns);
    for (let c = 0; c < columns && more; c++) floats[c] += more;
    this.#release(place);
    this.at.set(tensor.name, at);
  }

  /** @param {number} at */
  #release(at) {
    const { block, bytes } = /** @type {{ block: Block, bytes: number }} */ (this.#blocks.get(at));
    this.#blocks.delete(at);
    this.bytes -= bytes;
    block.dispose();
  }

  #dropStage() {
    if (this.#stage.bytes) this.memory.release(this.#stage.at, this.#stage.bytes);
    this.#stage = { at: 0, bytes: 0 };
  }

  /** After the last tensor: gives the memory of the stage back. */
  finish() {
    this.#dropStage();
  }

  dispose() {
    this.#dropStage();
    for (const { block } of this.#blocks.values()) block.dispose();
    this.#blocks.clear();
    this.bytes = 0;
    this.at.clear();
  }
}
