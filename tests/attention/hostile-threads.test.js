/**
 * Hostile calls have the same bits with any number of threads: a hundred, and 20 000 in a long
 * run. CLEARHEAD_CASES and CLEARHEAD_SEED as for hostile.test.js.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hostileCase } from '../support/attention/hostile.js';
import { sameBits } from '../support/bits.js';
import { repeats } from '../support/campaign.js';
import { sharing } from '../support/engine/shared-calls.js';
import { engines } from '../support/engines.js';

const count = Math.ceil(Number(process.env.CLEARHEAD_CASES ?? repeats(600, 120000)) / 6);
const first = Number(process.env.CLEARHEAD_SEED ?? 1);

/** The results of a call over arrays, in floats and integers, and over a cache of each type. */
function* resultsOf(ch, { s, call, want }) {
  const { q, k, v, options } = call;
  for (const precision of /** @type {const} */ (['float', 'int8']))
    yield [precision, ch.attention(q, k, v, { ...options, precision, want })];
  if (s.batch > 1) return;
  const { batch: _, kvHeads, headDim, valueDim, ...rest } = options;
  for (const type of /** @type {const} */ (['f32', 'f16', 'q8'])) {
    const cache = ch.kvCache({ kvHeads, headDim, valueDim, capacity: s.n, type });
    cache.append(k, v);
    yield [type, ch.attend(q, cache, { offset: 0, ...rest, want })];
    cache.dispose();
  }
}

for (const { variant, ch } of engines)
  for (const threads of [2, 3])
    test(`hostile calls have the bits of one thread with ${threads}: ${variant}`, async (t) => {
      const shared = await sharing(variant, threads);
      after(() => shared.ch.dispose());
      let calls = 0;
      for (let seed = first; seed < first + count; seed++) {
        const hostile = hostileCase(seed, 'float32');
        const expected = resultsOf(ch, hostile);
        for (const [what, result] of resultsOf(shared.ch, hostile)) {
          calls++;
          sameBits(result, expected.next().value[1], `seed ${seed}, ${what}`);
        }
      }
      assert.deepEqual([shared.ch.info.threads, shared.ch.info.why], [threads, '']);
      assert.equal(shared.counted.calls, calls);
      t.diagnostic(`${calls} calls, each with pieces of another thread`);
    });
