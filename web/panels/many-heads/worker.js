/**
 * In the lab: all heads at once, and every row of them against the oracle. The oracle runs in
 * slices, so that newer heads need not wait for the check of older ones.
 */
import { bitsThatDiffer } from '../../math/oracle.js';
import { checksum } from './checksum.js';
import { compute, movedBySharing } from './compute.js';
import { checkRow, fresh } from './rows.js';
import { valuesOf } from './values.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {ReturnType<typeof compute> & ReturnType<typeof valuesOf>} Run */
/** @typedef {ReturnType<typeof heads>} Heads */

/** Milliseconds. */
const SLICE = 30;

/** The newest heads. @type {Run | undefined} */
let run;
/** Their number. It is larger than any of a worker that was lost. */
let id = Date.now();

/** @param {Engine} engine @param {ReturnType<typeof import('./compute.js').settingOf>} setting */
export function heads(engine, setting) {
  const computed = compute(engine, setting);
  const values = valuesOf(computed);
  run = { ...computed, ...values };
  const { H, G, n, d, T, mask, weights, stats, lse } = run;
  const mean = (/** @type {Float32Array} */ values, /** @type {number} */ h) =>
    values.subarray(h * n, (h + 1) * n).reduce((a, b) => a + b, 0) / n;
  const each = Array.from({ length: H }, (_, h) => h);
  // copies: the memory of an answer is handed over
  return {
    ...{ id: ++id, H, G, n, d, T, mask },
    lengths: values.lengths.slice(),
    sums: values.sums.slice(),
    outputs: values.outputs.slice(),
    weights: weights.slice(),
    lse: lse.slice(),
    stats: {
      n: stats.n.slice(),
      kl: stats.kl.slice(),
      entropy: stats.entropy.slice(),
      argmax: stats.argmax.slice(),
    },
    rho: each.map((h) => mean(stats.kl, h)),
    entropy: each.map((h) => mean(stats.entropy, h)),
    moved: movedBySharing(engine, setting, weights),
    checksum: checksum(weights, stats.kl, stats.entropy, lse),
  };
}

/**
 * Compares every row with the oracle. Undefined if the heads have changed since the question.
 * @param {Engine} engine @param {number} asked the number that the heads had then
 */
export async function check(engine, asked) {
  if (!run) throw new Error('the heads were in another worker, which is lost');
  if (id !== asked) return undefined;
  const { H, n } = run;
  const found = fresh(H, n);
  let started = performance.now();
  for (let at = 0; at < H * n; at++) {
    checkRow(run, Math.floor(at / n), at % n, found);
    if (performance.now() - started < SLICE) continue;
    await new Promise((resume) => setTimeout(resume));
    if (id !== asked) return undefined;
    started = performance.now();
  }
  return { ...found, rows: H * n, shared: sharing(engine, run) };
}

/**
 * The same heads without sharing: how many numbers of the output differ in any bit?
 * @param {Engine} engine @param {Run} run
 */
function sharing(engine, { H, G, n, d, q, k, v, options, output }) {
  const share = H / G;
  const size = n * d;
  const apart = new Float32Array(output.length);
  if (share === 1) {
    for (let h = 0; h < H; h++) {
      const part = (/** @type {Float32Array} */ x) => x.slice(h * size, (h + 1) * size);
      const single = { ...options, heads: 1, kvHeads: 1 };
      apart.set(engine.attention(part(q), part(k), part(v), single).output, h * size);
    }
  } else {
    const repeat = (/** @type {Float32Array} */ x) => {
      const all = new Float32Array(H * size);
      for (let h = 0; h < H; h++) {
        const from = Math.floor(h / share) * size;
        all.set(x.subarray(from, from + size), h * size);
      }
      return all;
    };
    apart.set(engine.attention(q, repeat(k), repeat(v), { ...options, kvHeads: H }).output);
  }
  const different = bitsThatDiffer(output, apart);
  const empty = different === 0 && output.every(Number.isNaN);
  return { share, different, empty, numbers: output.length };
}
