/** Compares and times the three ways, in the worker of the kernels. */
import { gaussianInputs } from '../../math/data.js';
import { attentionRow } from '../../math/oracle.js';
import { addRow, none } from './difference.js';
import { follow } from './fused-compute.js';
import { meanTime } from './sample.js';
import { D, textbook, typed } from './ways.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {'textbook' | 'typed' | 'wasm'} Way */

/** @param {number} n */
function inputs(n) {
  const { q, k, v } = gaussianInputs({ seed: 7, n, d: D, dv: D });
  return { q: new Float32Array(q), k: new Float32Array(k), v: new Float32Array(v) };
}

/**
 * @param {Engine} engine @param {number} n
 * @returns {Record<Way, () => ArrayLike<number>>}
 */
function ways(engine, n) {
  const { q, k, v } = inputs(n);
  const options = { heads: 1, headDim: D, causal: true };
  return {
    textbook: () => textbook(q, k, v, n).flat(),
    typed: () => typed(q, k, v, n),
    wasm: () => engine.attention(q, k, v, options).output,
  };
}

/**
 * The largest difference of each way from the oracle, against the allowance of its element.
 * @param {Engine} engine @param {number} n
 */
export function compare(engine, n) {
  const { q, k, v } = inputs(n);
  const outputs = Object.entries(ways(engine, n)).map(([way, run]) => ({
    output: Float64Array.from(run()),
    found: { way, ...none() },
  }));
  for (let i = 0; i < n; i++) {
    const truth = attentionRow(q.subarray(i * D, (i + 1) * D), k, v, {
      n,
      d: D,
      dv: D,
      scale: 1 / 8,
      T: 1,
      visible: (j) => j <= i,
    });
    for (const { output, found } of outputs)
      addRow(found, output.subarray(i * D, (i + 1) * D), truth);
  }
  return outputs.map(({ found }) => found);
}

/**
 * Milliseconds of one call, the mean over a sample.
 * @param {Engine} engine @param {number} n @param {Way} way
 */
export const time = (engine, n, way) => meanTime(ways(engine, n)[way]);

/** One row, span by span. @param {Engine} engine */
export const fused = (engine) => follow(engine);

export { compareShared, timeShared } from './shared-compute.js';
