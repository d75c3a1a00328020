import { integer, number, read, rows } from '../check.js';
import { shaped } from '../engine/shapes.js';
import { checkStatus } from '../engine/status.js';
import { norm, sharingBounds, sharingColumns, sharingReport } from './reports.js';
import { compute, numbers } from './run.js';

/**
 * @template {keyof import('./types.d.ts').Theory} F
 * @typedef {import('./run.js').Statement<F>} Statement
 */

/**
 * Statement 12: Theory.sharedKeyBounds.
 * @type {Statement<'sharedKeyBounds'>}
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
  shaped('q', q, { m, headDim });
  shaped('k', k, { n, headDim });
  shaped('sharedK', sharedK, { n, headDim });
  shaped('v', v, { n, valueDim });
  shaped('sharedV', sharedV, { n, valueDim });
  const width = sharingColumns.doubles;
  number('temperature', temperature);
  const { columns, bounds, report } = compute(
    memory,
    { columns: m * width, bounds: sharingBounds, report: sharingReport },
    (at, put) => {
      const doubles = memory.c.attn_sharing_scratch_doubles(n, dim, valueDim) >>> 0;
      return memory.c.attn_sharing_measure(
        at.columns,
        at.bounds,
        at.report,
        put(queries),
        put(keys),
        put(shared),
        put(values),
        put(sharedValues),
        m,
        n,
        dim,
        valueDim,
        temperature,
        memory.pushArray('float64', doubles),
      );
    },
    ['temperature', temperature, 'finite, > 0'],
  );
  const queryRows = Array.from({ length: m }, (_, i) =>
    sharingColumns.read(columns.subarray(i * width, (i + 1) * width)),
  );
  /** @param {keyof typeof queryRows[0]} name */
  const column = (name) => Float64Array.from(queryRows, (row) => row[name]);
  const judged = Object.entries(bounds).map(([name, judgement]) => {
    const key = /** @type {keyof typeof queryRows[0]} */ (name);
    return { name, bound: { values: column(key), ...judgement } };
  });
  const { operatorNorm, diameter, longest, shift } = report;
  return {
    measured: {
      weights2: column('weights2'),
      weights1: column('weights1'),
      output: column('output'),
    },
    bounds: /** @type {ReturnType<import('./types.d.ts').Theory['sharedKeyBounds']>['bounds']} */ (
      Object.fromEntries(judged.map(({ name, bound }) => [name, bound]))
    ),
    operatorNorm,
    diameter,
    longest,
    shift,
    holds: judged.every(({ bound }) => bound.violated === 0),
  };
}

/**
 * Statement 12: Theory.operatorNorm.
 * @type {Statement<'operatorNorm'>}
 */
export function operatorNorm(memory, a, options) {
  const { columns } = read('options', options, ['columns']);
  const matrix = numbers(memory, 'a', a);
  const r = rows('a', matrix, integer('columns', columns, 1), 'columns');
  shaped('a', a, { rows: r, columns });
  const size = Math.min(r, columns);
  return compute(memory, { report: norm }, (at, put) => {
    const scratch = memory.pushArray('float64', 2 * size * size);
    return memory.c.attn_operator_norm(at.report, put(matrix), r, columns, scratch);
  }).report;
}

/**
 * Statement 15: Theory.cost.
 * @type {Statement<'cost'>}
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
