import { integer, read } from '../check.js';

/** @typedef {import('../memory.js').Memory} Memory @typedef {import('../types.d.ts').DType} DType */

/** Statement 15: Theory.cost. @param {Memory} memory @param {any} options @returns {any} */
export function cost(memory, options) {
  const { m, n, headDim, valueDim = headDim } = read('options', options, 'm n headDim valueDim');
  const shape = [1, 1, 1, integer('m', m, 0), integer('n', n, 0), integer('headDim', headDim, 1), integer('valueDim', valueDim, 1)];
  return memory.scope(() => {
    const p = memory.push(memory.call('params_bytes'));
    memory.ask('shape', `(${shape})`, `head sizes up to ${memory.call('max_dim')} and arrays below 4 GiB`, 'init', p, ...shape);
    const bytes = (/** @type {DType} */ type) => memory.callTyped('scratch_bytes', type, p) >>> 0;
    return { multiplyAdds: memory.call('work_size', p), scratchBytes: { float32: bytes('float32'), float64: bytes('float64') } };
  });
}
