import { integer, number, read, rows } from '../check.js';
import { checkStatus } from '../engine/status.js';
import { compute, numbers } from './run.js';

/**
 * @typedef {import('./memory.js').TheoryMemory} Memory
 * @typedef {import('../types.d.ts').DType} DType
 */

/**
 * What the columns of theory.h are called here: three measured, then the bounds, each with its
 * place in the summary.
 */
const MEASURED = ['weights2', 'weights1', 'output'];
const BOUNDS = [
  'sharp',
  'note',
  'operator',
  'range',
  'outputRange',
  'outputDiameter',
  'outputNote1',
  'outputNote2',
];

/**
 * Statement 12: Theory.sharedKeyBounds.
 * @param {Memory} memory
 * @param {any} q
 * @param {any} k
 * @param {any} sharedK
 * @param {any} v
 * @param {any} options
 * @returns {any}
 */
export function sharedKeyBounds(memory, q, k, sharedK, v, options) {
  const {
    headDim,
    temperature = 1,
    sharedV,
  } = read('options', options, ['headDim', 'temperature', 'sharedV']);
  const dim = integer('headDim', headDim, 1);
  const queries = numbers(memory, 'q', q);
  const m = rows('q', queries, dim, 'headDim');
  const keys = numbers(memory, 'k', k);
  const n = rows('k', keys, dim, 'headDim');
  const shared = numbers(memory, 'sharedK', sharedK, keys.length, 'the length of k');
  const values = numbers(memory, 'v', v);
  const valueDim = rows('v', values, n, 'the number of keys');
  const sharedValues =
    sharedV === undefined
      ? null
      : numbers(memory, 'sharedV', sharedV, values.length, 'the length of v');
  const width = MEASURED.length + BOUNDS.length;
  const { columns, summary, report } = compute(
    memory,
    'sharing_measure',
    { columns: m * width, summary: 4 * BOUNDS.length, report: 5 },
    [
      queries,
      keys,
      shared,
      values,
      sharedValues,
      m,
      n,
      dim,
      valueDim,
      number('temperature', temperature),
    ],
    {
      scratch: memory.c.attn_sharing_scratch_doubles(n, dim, valueDim) >>> 0,
      refused: ['temperature', temperature, 'finite, > 0'],
    },
  );
  const column = (/** @type {number} */ x) =>
    Float64Array.from({ length: m }, (_, i) => columns[i * width + x]);
  const [upper, lower, diameter, longest, shift] = report;
  const bounds = Object.fromEntries(
    BOUNDS.map((name, x) => {
      const [cap, vacuous, violated, slack] = summary.subarray(4 * x);
      return [name, { values: column(MEASURED.length + x), cap, vacuous, violated, slack }];
    }),
  );
  return {
    measured: Object.fromEntries(MEASURED.map((name, x) => [name, column(x)])),
    bounds,
    operatorNorm: { upper, lower },
    diameter,
    longest,
    shift,
    holds: BOUNDS.every((name) => bounds[name].violated === 0),
  };
}

/**
 * Statement 12: Theory.operatorNorm.
 * @param {Memory} memory
 * @param {any} a
 * @param {any} options
 * @returns {any}
 */
export function operatorNorm(memory, a, options) {
  const { columns } = read('options', options, ['columns']);
  const matrix = numbers(memory, 'a', a);
  const r = rows('a', matrix, integer('columns', columns, 1), 'columns');
  const size = Math.min(r, columns);
  const { ends } = compute(memory, 'operator_norm', { ends: 2 }, [matrix, r, columns], {
    scratch: 2 * size * size,
  });
  return { upper: ends[0], lower: ends[1] };
}

/**
 * Statement 15: Theory.cost.
 * @param {Memory} memory
 * @param {any} options
 * @returns {any}
 */
export function cost({ kernels }, options) {
  const {
    m,
    n,
    headDim,
    valueDim = headDim,
  } = read('options', options, ['m', 'n', 'headDim', 'valueDim']);
  /** @type {[number, number, number, number, number, number, number]} */
  const shape = [
    1,
    1,
    1,
    integer('m', m, 0),
    integer('n', n, 0),
    integer('headDim', headDim, 1),
    integer('valueDim', valueDim, 1),
  ];
  return kernels.scope(() => {
    const p = kernels.push(kernels.c.attn_params_bytes());
    checkStatus(
      kernels.c.attn_init(p, ...shape),
      'shape',
      `(${shape})`,
      `head sizes up to ${kernels.c.attn_max_dim()} and arrays below 4 GiB`,
    );
    return {
      multiplyAdds: kernels.c.attn_work_size(p),
      scratchBytes: {
        float32: kernels.c.attn_scratch_bytes_f32(p) >>> 0,
        float64: kernels.c.attn_scratch_bytes_f64(p) >>> 0,
      },
    };
  });
}
