/**
 * Random cases of the gradient of attention against the oracle. CLEARHEAD_CASES sets how many,
 * CLEARHEAD_SEED where they begin. The relaxed variant and float64 have a part of them.
 */
import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { repeats } from '../support/campaign.js';
import { engines } from '../support/models/engines.js';
import { attentionGradient } from '../support/train/attention-gradient.js';
import { randomGradient, wantsOf } from '../support/train/calls.js';
import { rules, worstOf } from '../support/train/compare.js';

const count = Number(process.env.CLEARHEAD_CASES ?? repeats(800, 1e5));
const first = Number(process.env.CLEARHEAD_SEED ?? 3e6);
const types = { float32: Float32Array, float64: Float64Array };

function run(ch, precision, cases, t) {
  let worst = { ratio: 0 };
  for (let seed = first; seed < first + cases; seed++) {
    const { c, q, k, v, dOutput, options } = randomGradient(seed, types[precision]);
    const oracle = attentionGradient(q, k, v, dOutput, options, rules[precision]);
    const want = wantsOf(options);
    const got = ch.attentionGradient(q, k, v, dOutput, { ...options, want });
    for (const [name, wanted] of Object.entries(want)) assert.equal(name in got, wanted);
    const found = { ...worstOf(got, oracle, rules[precision]), c };
    assert.ok(
      found.ratio <= 1,
      `${c.name}: ${found.name}[${found.at}] is ${found.got}, the oracle says ${found.want}: ` +
        `${found.ratio} of the limit`,
    );
    if (found.ratio > worst.ratio) worst = found;
  }
  t.diagnostic(
    `${cases} cases; worst error / limit ${worst.ratio.toFixed(3)}: ` +
      `${worst.name} of ${worst.c.name}`,
  );
}

for (const { variant, ch } of engines) {
  const part = variant === 'simd' ? count : Math.ceil(count / 3);
  test(`gradients of ${part} random cases keep the error rule: float32, ${variant}`, (t) =>
    run(ch, 'float32', part, t));
  if (variant === 'simd')
    test(`gradients of ${Math.ceil(count / 3)} random cases keep the error rule: float64`, (t) =>
      run(ch, 'float64', Math.ceil(count / 3), t));
}
