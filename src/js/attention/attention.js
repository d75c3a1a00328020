/**
 * A call of attention, over arrays or over a KV cache. Its way to the kernels:
 *
 *   bound                  names.js: a method of the engine; it counts the arguments
 *   attention, attend      read the options, and find the shape from the lengths of the arrays
 *   run                    checks `out` and the axes of tensors, and copies arrays to wasm memory
 *     setOptions           options.js: fills the attn_params of the call
 *     wantResults          results.js: tells C where to write results that are asked for
 *     placeOutput          results.js: where C writes the output
 *     c.attn_forward_f32, c.attn_cache_attend    the kernels; src/c/attention/kernel.h goes on
 *     c.attn_forward_f64   f64.c: float64, row by row
 *     pool.run             pool.js: float32 with several threads, if the call is large enough;
 *                          C goes on in pieces.c, with attn_work_begin, _run and _end
 *     output, results      copy them out of wasm memory
 *
 * Whatever the kernels would refuse has been refused before, so their status is not read.
 */
import { integer, rows, sized, sizesOf } from '../check.js';
import { checkAlias } from '../engine/alias.js';
import { F32, typeOf, placeOf } from '../engine/tensor.js';
import { refuse, refuseKind } from '../errors.js';
import { hasAxes, inLayout, shaped } from '../engine/shapes.js';
import { KVCache } from './cache.js';
import { OF_ATTEND, OF_ATTENTION, readOptions, setOptions } from './options.js';
import { placeOutput, wantResults } from './results.js';

/**
 * @typedef {import('../engine/tensor.js').Floats} Floats
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../types.d.ts').AttendOptions} AttendOptions
 * @typedef {import('../types.d.ts').AttentionOptions} AttentionOptions
 * @typedef {import('../types.d.ts').AttentionResult} AttentionResult
 */

/**
 * Engine.attention.
 * @param {Memory} memory
 * @param {Floats} q
 * @param {Floats} k
 * @param {Floats} v
 * @param {AttentionOptions} options
 */
export function attention(memory, q, k, v, options) {
  const o = readOptions(options, OF_ATTENTION);
  const { type, shape } = readShape(memory, o, q, k, v);
  return run(memory, type, shape, o, { q, k, v }, 0);
}

/**
 * The type and the shape of a call, which follow from its arrays and sizes.
 * @param {Memory} memory
 * @param {Pick<AttentionOptions, 'batch' | 'heads' | 'kvHeads' | 'headDim' | 'valueDim'>} o
 * @param {Floats} q
 * @param {Floats} k
 * @param {Floats} v
 */
export function readShape(memory, o, q, k, v) {
  const { batch = 1, heads = 1, kvHeads = heads, headDim, valueDim = headDim } = o;
  const type = typeOf(memory.floats('q', q));
  memory.floats('k', k, type);
  memory.floats('v', v, type);
  sizesOf(memory, { batch, heads, kvHeads, headDim, valueDim });
  checkDivides(heads, kvHeads);
  const m = rows('q', q, batch * heads * headDim, 'batch*heads*headDim');
  const n = rows('k', k, batch * kvHeads * headDim, 'batch*kvHeads*headDim');
  sized('v', v, batch * kvHeads * n * valueDim, 'batch*kvHeads*n*valueDim');
  return { type, shape: { batch, heads, kvHeads, m, n, headDim, valueDim } };
}

/**
 * Engine.attend.
 * @param {Memory} memory
 * @param {Floats} q
 * @param {import('../types.d.ts').KVCache} cache
 * @param {AttendOptions} [options]
 */
export function attend(memory, q, cache, options) {
  if (!KVCache.is(cache)) refuseKind('cache', cache, 'a KV cache');
  const o = readOptions(options, OF_ATTEND);
  const place = placeOf(cache, memory);
  const { kvHeads, headDim, valueDim } = cache;
  const n = memory.c.attn_cache_length(place);
  const heads = integer('heads', o.heads === undefined ? kvHeads : o.heads, 1);
  checkDivides(heads, kvHeads);
  const m = rows('q', memory.floats('q', q, F32), heads * headDim, 'heads*headDim');
  // the queries are the last positions, unless it is said where they stand
  if (o.offset === undefined && (o.offset = n - m) < 0 && o.causal === true)
    refuse('SHAPE', 'q', `${m} positions of ${heads} heads`, `at most the cache's ${n}`);
  return run(memory, F32, { batch: 1, heads, kvHeads, m, n, headDim, valueDim }, o, { q }, place);
}

/** @param {number} heads @param {number} kvHeads */
export function checkDivides(heads, kvHeads) {
  if (heads % kvHeads) refuse('SHAPE', 'heads', heads, `a multiple of kvHeads = ${kvHeads}`);
}

/**
 * Compares the shape of a tensor with that of an argument.
 * @param {import('./options.js').Shape} shape
 * @param {unknown} layout
 * @param {'q' | 'k' | 'v' | 'out'} argument
 * @param {unknown} x
 * @param {string} [name]
 */
export function checkAxes(shape, layout, argument, x, name = argument) {
  if (!hasAxes(x)) return;
  const { batch, heads, kvHeads, m, n, headDim, valueDim } = shape;
  const [count, positions, size] = {
    q: [heads, m, headDim],
    k: [kvHeads, n, headDim],
    v: [kvHeads, n, valueDim],
    out: [heads, m, valueDim],
  }[argument];
  shaped(name, x, inLayout(layout, { batch, heads: count, positions, size }));
}

/**
 * All is checked and copied in before a kernel runs, and results are copied out before the scope
 * gives the memory back.
 * @param {Memory} memory
 * @param {import('../types.d.ts').DType} type
 * @param {import('./options.js').Shape} shape
 * @param {import('./options.js').Read<AttendOptions | AttentionOptions>} o
 * @param {{ q: Floats, k?: Floats, v?: Floats }} inputs
 * @param {number} cache its address, or 0
 * @returns {AttentionResult}
 */
function run(memory, type, shape, o, inputs, cache) {
  const { batch, heads, m, valueDim } = shape;
  const length = batch * heads * m * valueDim;
  if (o.out !== undefined) {
    sized('out', memory.floats('out', o.out, type), length, 'batch*heads*m*valueDim');
    checkAlias('out', o.out, { ...o, ...inputs, mask: o.mask?.data, out: undefined });
  }
  checkAxes(shape, o.layout, 'q', inputs.q);
  checkAxes(shape, o.layout, 'k', inputs.k);
  checkAxes(shape, o.layout, 'v', inputs.v);
  checkAxes(shape, o.layout, 'out', o.out);
  const done = memory.scope(() => {
    const p = setOptions(memory, type, shape, o);
    const results = wantResults(memory, type, shape, o.want, p);
    const [q, k, v] = [inputs.q, inputs.k, inputs.v].map((x) => (x ? memory.put(x, type) : 0));
    const { at: out, output } = placeOutput(memory, type, o.out, length);
    if (type === F32 && memory.pool?.worth(p)) {
      if (!memory.pool.run(p, out, cache, q, k, v)) return undefined;
    } else {
      const { c } = memory;
      const [scratchBytes, forward] =
        type === F32
          ? [c.attn_scratch_bytes_f32, c.attn_forward_f32]
          : [c.attn_scratch_bytes_f64, c.attn_forward_f64];
      const scratch = memory.push(scratchBytes(p) >>> 0);
      if (cache) c.attn_cache_attend(p, out, q, cache, scratch);
      else forward(p, out, q, k, v, scratch);
    }
    return { output: output(), ...results() };
  });
  // A thread was lost in the call, and may still write there. The pool has closed that memory and
  // has no threads now, so this call uses other memory and one thread.
  return done ?? run(memory, type, shape, o, inputs, cache);
}
