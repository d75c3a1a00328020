/** exp, log and random numbers have the same bits on every engine. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expNegative, logAboveOne } from '../../../src/js/model/sampling/exp.js';
import { Random } from '../../../src/js/model/sampling/random.js';
import { random } from '../../support/random.js';

describe('exp and log', () => {
  test('exp is within 2 ULP of the engine’s on a million arguments, and exact at its ends', () => {
    const r = random(1);
    let worst = 0;
    for (let i = 0; i < 1e6; i++) {
      const x = -r.uniform() * (i % 2 ? 708 : 1);
      const want = Math.exp(x);
      worst = Math.max(worst, Math.abs(expNegative(x) - want) / want);
    }
    assert.ok(worst < 2 * 2 ** -52, `${worst}`);
    assert.deepEqual(
      [
        expNegative(0),
        expNegative(-0),
        expNegative(-709),
        expNegative(-Infinity),
        expNegative(NaN),
        expNegative(-5e-324),
      ],
      [1, 1, 0, 0, NaN, 1],
    );
  });

  test('log is within 2 ULP of the engine’s', () => {
    const r = random(2);
    for (let i = 0; i < 1e5; i++) {
      const x = 1 + r.uniform() * 10 ** r.integer(-8, 8);
      const want = Math.log(x);
      assert.ok(Math.abs(logAboveOne(x) - want) <= 2 ** -51 * Math.max(want, 2 ** -20), `log ${x}`);
    }
    assert.equal(logAboveOne(1), 0);
  });

  test('their bits are what they are everywhere', () => {
    let hash = 0x811c9dc5;
    const words = new Uint32Array(2);
    const floats = new Float64Array(words.buffer);
    for (let i = 0; i < 1e4; i++)
      for (const x of [expNegative(-i / 13), logAboveOne(1 + (i * i) / 7)]) {
        floats[0] = x;
        for (const word of words) hash = Math.imul(hash ^ word, 0x01000193);
      }
    assert.equal(hash >>> 0, 1345182664);
  });
});

describe('random numbers', () => {
  test('are those of xoshiro128**, from its state', () => {
    const generator = new Random(0);
    generator.restore(Uint32Array.of(1, 2, 3, 4));
    // the published sequence of the state 1, 2, 3, 4
    assert.deepEqual(
      Array.from({ length: 4 }, () => generator.next()),
      [11520, 0, 5927040, 70819200],
    );
  });

  test('every seed has its own sequence, also seeds that share their lower bits', () => {
    const firsts = new Set(
      [0, 1, 2, 2 ** 32, 2 ** 32 + 1, 2 ** 33, 2 ** 53 - 1, 0xffffffff].map((seed) => {
        const generator = new Random(seed);
        return [generator.next(), generator.next()].join();
      }),
    );
    assert.equal(firsts.size, 8);
  });
});
