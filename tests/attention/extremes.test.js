/**
 * Finite inputs whose scores leave the type on the way, or in the end: the result is that of exact
 * arithmetic. Each call goes through every path that can take it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyPath } from '../support/attention/paths.js';
import { types } from '../support/checked.js';
import { engines } from '../support/engines.js';

const largest = { float32: 3.4028234663852886e38, float64: Number.MAX_VALUE };
const one = { headDim: 1, scale: 1 };

/** Calls whose output is one number: { q, k, v, options, expected }. */
function table(Type, M) {
  const list = (size, f) => Type.from({ length: size }, (_, x) => f(x));
  const bias = (...numbers) => ({ mask: { data: Type.from(numbers), shape: [numbers.length] } });
  const call = (q, k, v, options, expected) => ({
    q: Type.from(q),
    k: Type.from(k),
    v: Type.from(v),
    options: { ...one, ...options },
    expected,
  });
  const softmax = (...z) => {
    const top = Math.max(...z);
    const e = z.map((x) => Math.exp(x - top));
    return e.reduce((s, x, j) => s + x * (j + 1), 0) / e.reduce((s, x) => s + x);
  };
  const tenth = M / 10;
  // in double, scores beyond M count as M
  const single = Type === Float32Array;
  return {
    'a bias of −M below a score of −M/16': call([1], [-M / 16], [7], bias(-M), 7),
    'three such keys': call([1], Array(3).fill(-M / 16), [1, 2, 6], bias(-M, -M, -M), 3),
    'such a key beside a higher one': call([1], [-M / 16, 1], [7, 5], bias(-M, 0), 5),
    'such a key beside a masked one': call([1], [-M / 16, 1], [7, 5], bias(-M, -Infinity), 7),
    'a bias of M above a score of M/16': call([1], [M / 16, 0], [7, 5], bias(M, 0), 7),
    'ALiBi and a bias, together below −M': call(
      [1],
      [-M / 2, -M / 2, 0],
      [1, 3, 50],
      { alibi: Type.of(M / 2), causal: true, offset: 1, ...bias(-M, -M / 2, 0) },
      single ? 3 : 2,
    ),
    'ALiBi of M at some distance': call(
      [1],
      [0, 0],
      [1, 3],
      { alibi: Type.of(M), offset: 9 },
      single ? 3 : 2,
    ),
    'ALiBi and a bias that cancel': call(
      [1],
      [0, Math.log(3)],
      [0, 4],
      { alibi: Type.of(-M / 4), offset: 8, ...bias(-M, -M) },
      0,
    ),
    'a multiplier of M': call([1], [3, 2], [7, 5], { keyScale: Type.of(M, M) }, single ? 7 : 6),
    'a multiplier that brings a product back': call(
      [M / 4],
      [8, 16],
      [1, 2],
      { keyScale: Type.of(1 / M, 1 / M) },
      softmax(2, 4),
    ),
    'a product of M and more': call([M], [2, 3, -4], [5, 7, 9], {}, single ? 7 : 6),
    'a product of −M and less': call([M], [-2, -3, -4], [5, 7, 9], {}, single ? 5 : 7),
    'terms beyond M that cancel': {
      q: Type.of(M, M, 1),
      k: Type.of(4, -4, 0, 4, -4, Math.log(3)),
      v: Type.of(0, 4),
      options: { headDim: 3, valueDim: 1, scale: 1 },
      expected: 3,
      cancels: true,
    },
    'terms beyond M that cancel, under a softcap': {
      q: Type.of(M, M, 1),
      k: Type.of(4, -4, 0, 4, -4, Math.log(3)),
      v: Type.of(0, 4),
      options: { headDim: 3, valueDim: 1, scale: 1, softcap: 1e20 },
      expected: 3,
      cancels: true,
    },
    'a dot product beyond M and a small scale': {
      q: list(8, () => M / 4),
      k: list(16, () => 1),
      v: Type.of(1, 3),
      options: { headDim: 8, valueDim: 1, scale: 1 / M },
      expected: 2,
    },
    'a dot product beyond M that the scale brings back': call(
      [M / 4],
      [0, 4, 8],
      [1, 2, 3],
      { scale: 1 / M },
      softmax(0, 1, 2),
    ),
    'a product below the smallest number and a large scale': call(
      [2 / tenth],
      [0, 1 / tenth],
      [1, 2],
      { scale: single ? tenth ** 2 : tenth, temperature: single ? 1 : 1 / tenth },
      softmax(0, 2),
    ),
    'T = 0 and products below the smallest number': call(
      [1 / tenth],
      [1 / tenth, 3 / tenth, 2 / tenth],
      [5, 7, 9],
      { temperature: 0 },
      7,
    ),
    'T = 0 and scores beyond M': call(
      [M],
      [2, 3, 3, -9],
      [5, 7, 9, 0],
      { temperature: 0, scale: M },
      single ? 8 : 7,
    ),
    'T = ∞ and scores of −M and M': call([1], [-M, M, -M], [5, 7, 9], { temperature: Infinity }, 7),
    'T = M and scores of −M and M': call(
      [1],
      [-M, 0, M],
      [1, 2, 3],
      { temperature: M },
      softmax(-1, 0, 1),
    ),
    'a sink of M above scores of −M': call([1], [-M, -M], [1, 2], { sinks: Type.of(M) }, 0),
    'a sink of M above scores of −M, at T = M': call(
      [1],
      [-M],
      [3],
      { sinks: Type.of(M), temperature: M },
      (3 * Math.exp(-2)) / (1 + Math.exp(-2)),
    ),
  };
}

for (const { variant, ch } of engines)
  for (const [precision, Type] of Object.entries(types)) {
    const calls = table(Type, largest[precision]);
    for (const [name, { expected, cancels, ...call }] of Object.entries(calls))
      test(`${name}: the softmax of exact scores (${precision}, ${variant})`, () => {
        const tolerance = precision === 'float32' ? 2 ** -20 : 2 ** -49;
        for (const { path, output, coarse } of everyPath(ch, call))
          // of terms that cancel, bytes leave nothing
          for (const x of coarse && cancels ? [] : output)
            assert.ok(
              Math.abs(x - expected) <= (coarse ? 0.04 : tolerance) * Math.abs(expected),
              `${path}: ${x}, should be ${expected}`,
            );
      });
  }
