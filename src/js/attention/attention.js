import { integer, rows, sized, sizesOf } from '../check.js';
import { checkAlias } from '../engine/alias.js';
import { F32, typeOf } from '../engine/tensor.js';
import { describe, refuse } from '../errors.js';
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
  const { batch = 1, heads = 1, kvHeads = heads, headDim, valueDim = headDim } = o;
  const type = typeOf(memory.floats('q', q));
  memory.floats('k', k, type);
  memory.floats('v', v, type);
  sizesOf(memory, { batch, heads, kvHeads, headDim, valueDim });
  checkDivides(heads, kvHeads);
  const m = rows('q', q, batch * heads * headDim, 'batch*heads*headDim');
  const n = rows('k', k, batch * kvHeads * headDim, 'batch*kvHeads*headDim');
  sized('v', v, batch * kvHeads * n * valueDim, 'batch*kvHeads*n*valueDim');
  return run(memory, type, { batch, heads, kvHeads, m, n, headDim, valueDim }, o, { q, k, v }, 0);
}

/**
 * Engine.attend.
 * @param {Memory} memory
 * @param {Floats} q
 * @param {import('../types.d.ts').KVCache} cache
 * @param {AttendOptions} [options]
 */
export function attend(memory, q, cache, options) {
  if (!(cache instanceof KVCache)) refuse('ARG', 'cache', describe(cache), 'a KV cache');
  const o = readOptions(options, OF_ATTEND);
  const place = cache.place(memory);
  const { kvHeads, headDim, valueDim, length: n } = cache;
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
 * Compares the shapes of tensors among the inputs, and of the output.
 * @param {import('./options.js').Shape} shape
 * @param {import('./options.js').Read<AttendOptions | AttentionOptions>} o
 * @param {{ q: Floats, k?: Floats, v?: Floats }} inputs
 */
function checkShapes({ batch, heads, kvHeads, m, n, headDim, valueDim }, o, { q, k, v }) {
  const check = (
    /** @type {string} */ name,
    /** @type {unknown} */ x,
    /** @type {[number, number, number]} */ [count, positions, size],
  ) => {
    if (hasAxes(x)) shaped(name, x, inLayout(o.layout, { batch, heads: count, positions, size }));
  };
  check('q', q, [heads, m, headDim]);
  check('k', k, [kvHeads, n, headDim]);
  check('v', v, [kvHeads, n, valueDim]);
  check('out', o.out, [heads, m, valueDim]);
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
  checkShapes(shape, o, inputs);
  const done = memory.scope(() => {
    const p = setOptions(memory, type, shape, o);
    const results = wantResults(memory, type, shape, o.want, p);
    const put = (/** @type {Floats | undefined} */ x) => (x ? memory.put(x, type) : 0);
    const [q, k, v] = [put(inputs.q), put(inputs.k), put(inputs.v)];
    const { at: out, output } = placeOutput(memory, type, o.out, length);
    if (type === F32 && memory.pool?.worth(p)) {
      if (!memory.pool.run(p, out, cache, q, k, v)) return undefined;
    } else {
      const { c } = memory;
      const isFloat = type === F32;
      const scratchBytes = isFloat ? c.attn_scratch_bytes_f32 : c.attn_scratch_bytes_f64;
      const forward = isFloat ? c.attn_forward_f32 : c.attn_forward_f64;
      const scratch = memory.push(scratchBytes(p) >>> 0);
      if (cache) c.attn_cache_attend(p, out, q, cache, scratch);
      else forward(p, out, q, k, v, scratch);
    }
    return { output: output(), ...results() };
  });
  // a lost thread may still write to memory that was pushed, so all is done again elsewhere
  return done ?? run(memory, type, shape, o, inputs, cache);
}
