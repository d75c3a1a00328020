/** The results of a call: their places in wasm memory, and their copies for the caller. */
import { integers, list, yes } from '../check.js';
import { arrayOf } from '../engine/alias.js';
import { ATTN_SCORES_CAPPED, ATTN_SCORES_MASKED, ATTN_SCORES_RAW } from '../engine/constants.js';
import { checkStatus } from '../engine/status.js';
import { Tensor, placeOf } from '../engine/tensor.js';
import { refuse } from '../errors.js';
import { word } from './options.js';
import { edgesOf, readSpans, sumSpans } from './spans.js';
import { STATISTICS, readStatistics } from './statistics.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../types.d.ts').DType} DType
 */
/**
 * @template {DType} T
 * @typedef {Omit<import('../types.d.ts').AttentionResult<
 *   import('../engine/tensor.js').Views[T]>, 'output'>} Results
 */

/** All heads and all rows. @type {{ heads?: readonly number[], rows?: readonly number[] }} */
const ALL = Object.create(null);

/** The stages of scores. */
const SCORES = {
  raw: ATTN_SCORES_RAW,
  capped: ATTN_SCORES_CAPPED,
  masked: ATTN_SCORES_MASKED,
};

/**
 * Where the output is to be written, and how it is handed over: in the tensor or array given, or in
 * a new one. With threads a tensor gets a copy. A thread that is lost in the call may write late,
 * and must not write into anything that outlives the call.
 * @template {DType} T
 * @param {Memory} memory
 * @param {T} type
 * @param {import('../engine/tensor.js').Floats | undefined} given
 * @param {number} length
 */
export function placeOutput(memory, type, given, length) {
  const inPlace = Tensor.is(given) && !memory.pool;
  const at = inPlace ? placeOf(given) : memory.pushArray(type, length);
  const output = () => {
    const written = memory.view(type, at, length);
    if (!given) return /** @type {typeof written} */ (written.slice());
    const array = arrayOf(given);
    if (!inPlace) array.set(written);
    return /** @type {typeof written} */ (array);
  };
  return { at, output };
}

/**
 * Reserves memory for everything that is wanted; the function it returns copies it out.
 * @template {DType} T
 * @param {Memory} memory
 * @param {T} type
 * @param {import('./options.js').Shape} shape
 * @param {import('../types.d.ts').Want} want
 * @param {number} p
 */
export function wantResults(memory, type, { batch, heads, m, n }, want, p) {
  const { c } = memory;
  const rows = batch * heads * m;
  /** The copy of each result, once it is written. @type {[keyof Results<T>, () => unknown][]} */
  const copies = [];
  /**
   * Reserves a result, and says where.
   * @param {keyof Results<T>} name
   * @param {number} length
   * @param {(at: number, length: number) => unknown} [read]
   */
  const reserve = (name, length, read = (at) => memory.copy(type, at, length)) => {
    const at = memory.pushArray(type, length);
    copies.push([name, () => read(at, length)]);
    return at;
  };
  const chosen =
    typeof want.weights === 'object' ? want.weights : yes('want.weights', want.weights) && ALL;
  if (chosen) {
    const h = slots(memory, 'heads', chosen.heads, heads);
    const i = slots(memory, 'rows', chosen.rows, m);
    const at = reserve('weights', batch * h.count * i.count * n);
    c.attn_want_weights(p, at, h.at, h.count, i.at, i.count);
  }
  if (want.scores !== undefined) {
    const stage = word('want.scores', want.scores, SCORES);
    c.attn_want_scores(p, stage, reserve('scores', rows * n));
  }
  if (yes('want.lse', want.lse)) c.attn_want_lse(p, reserve('lse', rows));
  if (yes('want.stats', want.stats)) {
    const read = (/** @type {number} */ at) => readStatistics(memory, type, at, rows);
    c.attn_want_stats(p, reserve('stats', STATISTICS.length * rows, read), rows);
  }
  if (want.spans !== undefined) {
    const spans = readSpans('want.spans', want.spans, n);
    const edges = edgesOf(spans);
    const count = Math.max(edges.length - 1, 0);
    const at = memory.pushArray(type, rows * count);
    checkStatus(
      c.attn_want_segments(p, at, memory.put(edges, 'int32'), count),
      'want.spans',
      `${spans.length} long, of ${rows} rows`,
      'sums below 4 GiB',
    );
    reserve('spans', rows * spans.length, (to, length) => {
      const sums = memory.view(type, to, length);
      sumSpans(memory.view(type, at, rows * count), edges, spans, sums);
      return memory.copy(type, to, length);
    });
  }
  return () =>
    /** @type {Results<T>} */ (Object.fromEntries(copies.map(([name, copy]) => [name, copy()])));
}

/**
 * The table from heads or rows to their place among the chosen.
 * @param {Memory} memory
 * @param {'heads' | 'rows'} axis
 * @param {unknown} chosen
 * @param {number} size
 */
function slots(memory, axis, chosen, size) {
  if (chosen === undefined) return { at: 0, count: size };
  const name = `want.weights.${axis}`;
  const table = new Int32Array(size).fill(-1);
  const places = integers(name, list(name, chosen), 0, size - 1);
  places.forEach((x, place) => {
    if (table[x] >= 0) refuse('RANGE', name, `${x} twice`, 'each once');
    table[x] = place;
  });
  return { at: memory.put(table, 'int32'), count: places.length };
}
