/**
 * Random cases against the reference: four thousand, and a million in a long run. The relaxed
 * variant and float64 have a tenth of them. CLEARHEAD_CASES sets another number, CLEARHEAD_SEED
 * another beginning.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeats } from '../support/campaign.js';
import { build, randomCase } from '../support/cases.js';
import { engines } from '../support/engines.js';
import { argmaxExchanged, compare, mistrusted, nmse, precisions } from '../support/limits.js';
import { reference } from '../support/reference.js';

const count = Number(process.env.CLEARHEAD_CASES ?? repeats(4000, 1e6));
const first = Number(process.env.CLEARHEAD_SEED ?? 1e6);
const types = { float32: Float32Array, float64: Float64Array };
const wants = [
  {},
  { weights: true },
  { lse: true, stats: true },
  { weights: true, scores: 'raw', lse: true, stats: true },
  { scores: 'capped', stats: true },
  { scores: 'masked', lse: true },
];

function run(ch, precision, count, t) {
  const worst = { ratio: 0 };
  const start = performance.now();
  let zeros = 0;
  let exchanged = 0;
  let rows = 0;
  let worstNmse = 0;
  for (let x = 0; x < count; x++) {
    const c = randomCase(first + x);
    const { q, k, v, options } = build(c, types[precision]);
    const want = wants[x % wants.length];
    const { tiny, floor } = precisions[precision];
    const ref = reference(q, k, v, options, tiny);
    const result = ch.attention(q, k, v, { ...options, want });
    for (const found of compare(result, ref, precision, c.family === 'spike', want.scores)) {
      assert.ok(
        found.ratio <= 1,
        `${c.name}: ${found.what}[${found.at}] is ${found.got}, the reference says ` +
          `${found.want}: ${found.ratio} of the limit`,
      );
      if (found.ratio > worst.ratio) Object.assign(worst, found, { name: c.name });
    }
    if (mistrusted(ref)) {
      zeros++;
      assert.ok(c.empty, `${c.name}: MISTRUSTED`);
    }
    if (result.stats) {
      exchanged += argmaxExchanged(result, ref);
      rows += result.stats.n.length;
    }
    if (ref.A.every((A) => A <= 32))
      worstNmse = Math.max(worstNmse, nmse(result.output, ref, floor));
  }
  assert.ok(worstNmse <= precisions[precision].nmse, `NMSE ${worstNmse}`);
  assert.ok(zeros < count / 5 + 5, `${zeros} of ${count} cases expect mostly zeros`);
  assert.ok(exchanged <= rows / 200, `argmax differs in ${exchanged} of ${rows} rows`);
  t.diagnostic(
    `${count} cases in ${((performance.now() - start) / 1000).toFixed(1)} s; worst error / ` +
      `limit ${worst.ratio.toFixed(3)}: ${worst.what} of ${worst.name}; ` +
      `worst NMSE ${worstNmse.toExponential(1)} (A ≤ 32); ${zeros} mostly zeros; argmax ` +
      `exchanged in ${exchanged} of ${rows} rows`,
  );
}

for (const { variant, ch } of engines) {
  const part = variant === 'simd' ? count : Math.ceil(count / 10);
  test(`${part} random cases are within the error rule: float32, ${variant}`, (t) =>
    run(ch, 'float32', part, t));
  if (variant === 'simd')
    test(`${Math.ceil(count / 10)} random cases are within the error rule: float64`, (t) =>
      run(ch, 'float64', Math.ceil(count / 10), t));
}
