/** The values of one look: those of the words of a row, or of the example. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CIRCLE } from '../../../web/math/example.js';
import { originOf, VALUES, valuesOf } from '../../../web/panels/one-look/values.js';

const keys = { minKeys: 2, maxKeys: 3 };
/** A row of four keys, whose values have three numbers. */
const row = {
  source: 'test',
  layer: 0,
  head: 1,
  position: 3,
  temperature: 1,
  words: ['a', 'b', 'c', 'd'],
  weights: new Float64Array(4).fill(1 / 4),
  scores: Float64Array.of(5, 0, 4, 6),
  v: Float32Array.of(0.5, -1, 9, 8, 8, 9, -0.25, 2, 9, 1, 0, 9),
};

describe('the values of the example', () => {
  const points = [0, 1, 2, 3, 4, 5].map((j) => [VALUES[2 * j], VALUES[2 * j + 1]]);
  const RED = 3;
  const BALL = 4;

  test('have “red” and “ball” nearest to each other', () => {
    const nearest = (one) => {
      const apart = points.map(([x, y], j) =>
        j === one ? Infinity : Math.hypot(x - points[one][0], y - points[one][1]),
      );
      return apart.indexOf(Math.min(...apart));
    };
    assert.equal(nearest(RED), BALL);
    assert.equal(nearest(BALL), RED);
  });

  test('do not lie in the directions of the keys', () => {
    points.forEach(([x, y], j) => {
      const turn = (Math.atan2(y, x) * 180) / Math.PI - CIRCLE.keys[j];
      const apart = Math.abs(((((turn + 180) % 360) + 360) % 360) - 180);
      assert.ok(apart > 20, `${j}: ${apart} degrees`);
    });
  });
});

describe('the values of a row', () => {
  test('are the first two numbers of the values of its best keys', () => {
    const { values, own } = valuesOf(row, keys);
    assert.deepEqual([...values], [0.5, -1, -0.25, 2, 1, 0]);
    assert.match(originOf(own), /first two numbers of each word’s value/);
  });

  test('are the example’s where there is no row, no value or too few keys, and say so', () => {
    const { v, ...others } = row;
    const short = { words: ['a'], scores: Float64Array.of(5), v: v.slice(0, 3) };
    for (const sent of [undefined, { ...row, ...short }]) {
      const { values, own } = valuesOf(sent, { minKeys: 2, maxKeys: 6 });
      assert.deepEqual(values, VALUES);
      assert.match(originOf(own), /made up/);
    }
    for (const sent of [others, { ...row, v: v.slice(0, 4) }]) {
      const { values, own } = valuesOf(sent, keys);
      assert.deepEqual(values, VALUES.slice(0, 6), 'as many as there are words');
      assert.match(originOf(own), /made up/);
    }
  });
});
