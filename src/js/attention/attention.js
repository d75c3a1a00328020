import { KVCache } from './cache.js';
import {
  array,
  choice,
  integer,
  integers,
  list,
  number,
  read,
  rows,
  sized,
  sizesOf,
  yes,
} from '../check.js';
import { describe, kindOf, refuse } from '../errors.js';
import { checkStatus } from '../engine/status.js';
import { ATTN_INT8, ATTN_MASK_ADD, ATTN_MASK_SELECT } from '../engine/constants.js';
import { F32, Tensor, typeOf } from '../engine/memory.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../types.d.ts').DType} DType
 */
/**
 * @typedef {Record<'batch'|'heads'|'kvHeads'|'m'|'n'|'headDim'|'valueDim', number>} Shape in the
 *   order of attn_init
 */

const OPTIONS =
  'heads scale temperature keyScale causal offset window softcap mask keyLengths alibi sinks layout out want';

/**
 * Engine.attention.
 * @param {Memory} memory
 * @param {any} q
 * @param {any} k
 * @param {any} v
 * @param {any} options
 */
export function attention(memory, q, k, v, options) {
  const o = readOptions(options, `batch kvHeads headDim valueDim precision ${OPTIONS}`);
  const { batch = 1, heads = 1, kvHeads = heads, headDim, valueDim = headDim } = o;
  const type = typeOf(memory.floats('q', q));
  memory.floats('k', k, type);
  memory.floats('v', v, type);
  sizesOf(memory, { batch, heads, kvHeads, headDim, valueDim });
  divides(heads, kvHeads);
  const m = rows('q', q, batch * heads * headDim, 'batch*heads*headDim');
  const n = rows('k', k, batch * kvHeads * headDim, 'batch*kvHeads*headDim');
  sized('v', v, batch * kvHeads * n * valueDim, 'batch*kvHeads*n*valueDim');
  return run(memory, type, { batch, heads, kvHeads, m, n, headDim, valueDim }, o, { q, k, v }, 0);
}

/** Engine.attend. @param {Memory} memory @param {any} q @param {any} cache @param {any} options */
export function attend(memory, q, cache, options) {
  if (!(cache instanceof KVCache)) refuse('ARG', 'cache', describe(cache), 'a KV cache');
  const o = readOptions(options, OPTIONS);
  const place = cache.place(memory);
  const { kvHeads, headDim, valueDim, length: n } = cache;
  const heads = integer('heads', o.heads === undefined ? kvHeads : o.heads, 1);
  divides(heads, kvHeads);
  const m = rows('q', memory.floats('q', q, F32), heads * headDim, 'heads*headDim');
  // the queries are the last positions, unless it is said where they stand
  if (o.offset === undefined && (o.offset = n - m) < 0 && o.causal === true)
    refuse('SHAPE', 'q', `${m} positions of ${heads} heads`, `at most the cache's ${n}`);
  return run(memory, F32, { batch: 1, heads, kvHeads, m, n, headDim, valueDim }, o, { q }, place);
}

/** @param {number} heads @param {number} kvHeads */
export function divides(heads, kvHeads) {
  if (heads % kvHeads) refuse('SHAPE', 'heads', heads, `a multiple of kvHeads = ${kvHeads}`);
}

/** @param {any} options @param {string} names */
export function readOptions(options, names) {
  const o = read('options', options, names);
  if (o.mask !== undefined) o.mask = read('mask', o.mask, 'data shape', '{ data, shape }');
  o.want = read('want', o.want, 'weights scores lse stats');
  if (typeof o.want.weights === 'object')
    o.want.weights = read('want.weights', o.want.weights, 'heads rows');
  return o;
}

/**
 * All is checked and copied in before a kernel runs, and results are copied out before the scope
 * gives the memory back.
 * @param {Memory} memory
 * @param {DType} type
 * @param {Shape} shape
 * @param {any} o options, as read
 * @param {Record<string, any>} inputs
 * @param {number} cache its address, or 0
 * @returns {any}
 */
function run(memory, type, shape, o, inputs, cache) {
  const { batch, heads, m, valueDim } = shape;
  const length = batch * heads * m * valueDim;
  const given = o.out;
  if (given !== undefined) {
    sized('out', memory.floats('out', given, type), length, 'batch*heads*m*valueDim');
    for (const [name, x] of Object.entries({ ...o, ...inputs, mask: o.mask?.data, out: undefined }))
      if (overlap(given, x))
        refuse('ALIAS', 'out', `in the memory of ${name}`, 'memory of its own');
  }
  const done = memory.scope(() => {
    const p = memory.push(memory.c.attn_params_bytes());
    initShape(memory, p, shape);
    setOptions(memory, type, shape, o, p);
    const results = wantResults(memory, type, shape, o.want, p);
    const [q, k, v] = Object.values(inputs).map((x) => memory.put(x, type));
    // whoever is lost may still write to where the result is, so with threads that is nothing that
    // lasts
    const own = given instanceof Tensor && !memory.pool;
    const out = own ? given.place() : memory.pushArray(type, length);
    if (type === F32 && memory.pool?.worth(p)) {
      if (!memory.pool.run(p, out, cache, q, k, v)) return;
    } else {
      const { c } = memory;
      const floats = type === F32;
      const scratchBytes = floats ? c.attn_scratch_bytes_f32 : c.attn_scratch_bytes_f64;
      const forward = floats ? c.attn_forward_f32 : c.attn_forward_f64;
      const scratch = memory.push(scratchBytes(p) >>> 0);
      if (cache) c.attn_cache_attend(p, out, q, cache, scratch);
      else forward(p, out, q, k, v, scratch);
    }
    const output = memory.view(type, out, length);
    if (given && !own) (given.data ?? given).set(output);
    return { output: given?.data ?? given ?? output.slice(), ...results() };
  });
  // a worker that was lost may still write to what was pushed, so all of it is done again elsewhere
  return done ?? run(memory, type, shape, o, inputs, cache);
}

/** Begins the options of one call. @param {Memory} memory @param {number} p @param {Shape} shape */
export function initShape(memory, p, shape) {
  const { batch, heads, kvHeads, m, n, headDim, valueDim } = shape;
  const status = memory.c.attn_init(p, batch, heads, kvHeads, m, n, headDim, valueDim);
  if (status) checkStatus(status, 'shape', `(${Object.values(shape)})`, 'arrays below 4 GiB');
}

/** @param {any} a @param {any} b */
export function overlap(a, b) {
  const x = a.data ?? a;
  const y = b?.data ?? b;
  return (
    x.buffer === y?.buffer &&
    x.byteOffset < y.byteOffset + y.byteLength &&
    y.byteOffset < x.byteOffset + x.byteLength
  );
}

const NUMBERS = /** @type {const} */ ([
  ['scale', 'finite'],
  ['temperature', '≥ 0'],
  ['softcap', 'finite, ≥ 0'],
]);

/**
 * @param {Memory} memory
 * @param {DType} type
 * @param {Shape} shape
 * @param {any} o
 * @param {number} p
 */
export function setOptions(memory, type, { batch, heads, m, n }, o, p) {
  const { c } = memory;
  c.attn_set_layout(p, choice('layout', o.layout, 'bhsd', 'bshd'));
  c.attn_set_causal(p, yes('causal', o.causal));
  if (choice('precision', o.precision, 'float', 'int8')) {
    if (type !== F32) refuse('ARG', 'precision', 'int8 of float64', F32);
    c.attn_set_precision(p, ATTN_INT8);
  }
  for (const [name, expected] of NUMBERS)
    if (o[name] !== undefined)
      checkStatus(
        c[`attn_set_${name}`](p, number(name, o[name])),
        name,
        describe(o[name]),
        expected,
      );
  for (const [name, f, length, words] of /** @type {const} */ ([
    ['keyScale', 'key_scale', n, 'n'],
    ['alibi', 'alibi', heads, 'heads'],
    ['sinks', 'sinks', heads, 'heads'],
  ]))
    if (o[name] !== undefined)
      c[`attn_set_${f}`](
        p,
        memory.put(sized(name, memory.floats(name, o[name], type), length, words), type),
      );
  if (o.window !== undefined) {
    const sides = '[left, right]';
    const window = sized('window', list('window', o.window, sides), 2, sides);
    const [left, right] = window.map((/** @type {any} */ x, /** @type {number} */ i) =>
      x === Infinity ? -1 : integer(`window[${i}]`, x, 0),
    );
    c.attn_set_window(p, left, right);
  }
  /** One integer for each batch. @param {string} name */
  const each = (name) => sized(name, array(name, o[name], 'Int32Array'), batch, 'batch');
  if (o.offset !== undefined) {
    const one = typeof o.offset === 'number';
    checkStatus(
      c.attn_set_offset(
        p,
        one ? integer('offset', o.offset + 0, -(2 ** 31)) : 0,
        one ? 0 : memory.put(each('offset'), 'int32'),
      ),
      'offset',
      describe(o.offset),
      'integers within ±2^29',
    );
  }
  if (o.keyLengths !== undefined) {
    integers('keyLengths', each('keyLengths'), 0, n);
    c.attn_set_key_lengths(p, memory.put(o.keyLengths, 'int32'));
  }
  if (o.mask !== undefined) {
    const { data, shape } = o.mask;
    const select = kindOf(data) === 'Uint8Array';
    const sizes = integers('mask.shape', list('mask.shape', shape), 0);
    const words = `(${sizes})`;
    if (!sizes.length || sizes.length > 4) refuse('SHAPE', 'mask.shape', words, '1 to 4 sizes');
    const x = sized(
      'mask.data',
      memory.floats('mask.data', data, type, 'Uint8Array'),
      sizes.reduce((a, b) => a * b),
      words,
    );
    const [b, h, rows, columns] = [1, 1, 1, ...sizes].slice(-4);
    const kind = select ? ATTN_MASK_SELECT : ATTN_MASK_ADD;
    const at = memory.put(x, select ? 'uint8' : type);
    checkStatus(
      c.attn_set_mask(p, kind, at, b, h, rows, columns),
      'mask.shape',
      words,
      `one that broadcasts to (${[batch, heads, m, n]})`,
    );
  }
}

/**
 * Makes room for what is wanted; the function it returns copies it out. Written out, because
 * decoding calls it for very little.
 * @param {Memory} memory
 * @param {DType} type
 * @param {Shape} shape
 * @param {any} want
 * @param {number} p
 */
export function wantResults(memory, type, { batch, heads, m, n }, want, p) {
  const count = batch * heads * m;
  const room = (length = count) => memory.pushArray(type, length);
  const copy = (/** @type {number} */ at, length = count) => memory.copy(type, at, length);
  let length = 0;
  let weights = 0;
  let scores = 0;
  let lse = 0;
  let stats = 0;
  let step = 0;
  const chosen =
    typeof want.weights === 'object'
      ? want.weights
      : yes('want.weights', want.weights) && { __proto__: null };
  if (chosen) {
    const h = slots(memory, 'heads', chosen.heads, heads);
    const i = slots(memory, 'rows', chosen.rows, m);
    length = batch * h.count * i.count * n;
    memory.c.attn_want_weights(p, (weights = room(length)), h.at, h.count, i.at, i.count);
  }
  if (want.scores !== undefined)
    memory.c.attn_want_scores(
      p,
      choice('want.scores', want.scores, 'raw', 'capped', 'masked'),
      (scores = room(count * n)),
    );
  if (yes('want.lse', want.lse)) memory.c.attn_want_lse(p, (lse = room()));
  if (yes('want.stats', want.stats)) {
    // six rooms side by side, each `step` after the last
    stats = room();
    step = room() - stats;
    memory.push(4 * step);
    memory.c.attn_want_stats(
      p,
      stats,
      stats + step,
      stats + 2 * step,
      stats + 3 * step,
      stats + 4 * step,
      stats + 5 * step,
    );
  }
  return () => {
    /** @type {Record<string, any>} */
    const results = {};
    const integers = (/** @type {number} */ at) => memory.copy('int32', at, count);
    if (weights) results.weights = copy(weights, length);
    if (scores) results.scores = copy(scores, count * n);
    if (lse) results.lse = copy(lse);
    if (stats)
      results.stats = {
        n: integers(stats),
        entropy: copy(stats + step),
        kl: copy(stats + 2 * step),
        expectedScore: copy(stats + 3 * step),
        maxWeight: copy(stats + 4 * step),
        argmax: integers(stats + 5 * step),
      };
    return results;
  };
}

/**
 * The table from heads or rows to their place among the chosen.
 * @param {Memory} memory
 * @param {string} axis
 * @param {any} chosen
 * @param {number} size
 */
function slots(memory, axis, chosen, size) {
  if (chosen === undefined) return { at: 0, count: size };
  const name = `want.weights.${axis}`;
  const table = new Int32Array(size).fill(-1);
  integers(name, list(name, chosen), 0, size - 1).forEach((x, place) => {
    if (table[x] >= 0) refuse('RANGE', name, `${x} twice`, 'each once');
    table[x] = place;
  });
  return { at: memory.put(table, 'int32'), count: chosen.length };
}
