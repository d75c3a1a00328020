/**
 * Gradients of numbers from one end of the floats to the other. Those of queries, keys and values
 * keep the error rule wherever the sums of their terms stay within the floats.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeats } from '../support/campaign.js';
import { engines } from '../support/models/engines.js';
import { random } from '../support/random.js';
import { attentionGradient } from '../support/train/attention-gradient.js';
import { randomGradient, wantsOf } from '../support/train/calls.js';
import { rules } from '../support/train/compare.js';

const CASES = repeats(400, 10000);
/** The rule is for logits that are known that well (docs/numerics.md). */
const MAX_A = 2 ** 18;
/** Terms of larger sums may leave the floats. */
const LARGE = 2 ** 120;
const POWERS = [0, 0, 0, -3, 3, -10, 10, -20, 20, -30, 30, -37, 37];
const rule = rules.float32;

/** A random call whose arrays, scale and temperature have sizes of their own. */
function hostile(seed) {
  const call = randomGradient(50000 + seed, Float32Array);
  const r = random(seed);
  const size = () => 10 ** r.pick(POWERS);
  for (const name of ['q', 'k', 'v', 'dOutput']) {
    const factor = size();
    call[name] = call[name].map((x) => Math.max(-3e38, Math.min(3e38, x * factor)));
  }
  if (r.chance(0.3)) call.options.temperature = size();
  if (r.chance(0.3)) call.options.scale = size();
  return call;
}

for (const { variant, ch } of engines)
  test(`${CASES} calls of numbers of any size keep the error rule: ${variant}`, (t) => {
    let compared = 0;
    for (let seed = 1; seed <= CASES; seed++) {
      const { c, q, k, v, dOutput, options } = hostile(seed);
      const oracle = attentionGradient(q, k, v, dOutput, options, rule);
      if (oracle.A > MAX_A) continue;
      const want = wantsOf(options);
      const got = ch.attentionGradient(q, k, v, dOutput, { ...options, want });
      for (const name of ['dq', 'dk', 'dv'])
        oracle[name].value.forEach((value, at) => {
          const limit = rule.epsilon * oracle[name].limit[at] + rule.floor;
          if (!(oracle[name].gross[at] < LARGE)) return;
          compared++;
          const error = Math.abs(got[name][at] - value);
          assert.ok(error <= limit, `${c.name}: ${name}[${at}] is ${got[name][at]}, not ${value}`);
        });
    }
    t.diagnostic(`${compared} numbers`);
    assert.ok(compared > CASES * 200);
  });
