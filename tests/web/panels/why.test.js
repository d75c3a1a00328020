/** Why this key: bars, lengths and distance, beside the tests’ own float64 and the library. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { best, byDistance, compare, partsOf } from '../../../web/panels/distance/why-compute.js';
import { drawnLook, lookOf, lookOfModel } from '../../../web/panels/distance/why-look.js';
import { letters } from '../../support/web/letters.js';
import { dot, rows, softmax, sum } from '../recompute.js';

const U32 = 2 ** -24;
const U64 = 2 ** -53;

/** The largest sum of |terms| of a score. */
const sizeOf = ({ q, k, scale }) =>
  Math.max(...rows(k, q.length).map((key) => scale * sum(key.map((x, c) => Math.abs(x * q[c])))));

describe('a look that is taken apart', () => {
  let engine;
  let model;
  /** A look of the model, and two of drawn numbers. */
  let looks;
  before(async () => {
    engine = await init({ layers: true });
    model = await loadModel(letters(), { engine });
    const { signal } = new AbortController();
    looks = [await lookOfModel(model, signal, null), drawnLook(7), drawnLook(8)];
  });

  test('has bars that add up to the score, and the parts of its distance do so too', () => {
    for (const look of looks) {
      const { q, k, scale } = look;
      const d = q.length;
      const query = Array.from(q);
      rows(k, d).forEach((key, j) => {
        const expected = scale * dot(query, key);
        const { bars, score, split, mean } = partsOf(look, j);
        const squares = scale * (dot(query, query) + dot(key, key));
        const allowed = U64 * (d + 8) * 2 * squares;
        assert.deepEqual(
          [...bars],
          key.map((x, c) => x * q[c]),
        );
        assert.ok(Math.abs(score - expected) <= allowed, `key ${j}: ${score}, not ${expected}`);
        assert.ok(Math.abs(split.score - expected) <= allowed, `key ${j}: ${split.score}`);
        const apart = query.map((x, c) => x - key[c]);
        const parts = [dot(query, query), dot(key, key), -dot(apart, apart)];
        [split.query, split.key, split.distance].forEach((x, i) =>
          assert.ok(Math.abs(x - (scale / 2) * parts[i]) <= allowed),
        );
        const all = rows(k, d).map((each) => scale * dot(query, each));
        assert.ok(Math.abs(mean.score - sum(all) / all.length) <= 1e-12 * (1 + squares));
      });
    }
  });

  test('has the scores that the library reports, in float64', () => {
    for (const look of looks) {
      const d = look.q.length;
      const n = look.words.length;
      const { scores } = engine.attention(
        Float64Array.from(look.q),
        Float64Array.from(look.k),
        new Float64Array(n),
        { headDim: d, valueDim: 1, scale: look.scale, want: { scores: 'raw' } },
      );
      const allowed = 2 * U64 * (d + 4) * sizeOf(look);
      scores.forEach((z, j) => assert.ok(Math.abs(z - partsOf(look, j).score) <= allowed));
    }
  });

  test('of the model has the weights that the model reports', () => {
    const [look] = looks;
    const { q, words, weights } = look;
    const scores = words.map((_, j) => partsOf(look, j).score);
    const relative = U32 * (words.length + 8 + 2 * (q.length + 4) * sizeOf(look));
    const expected = softmax(scores).weights;
    expected.forEach((p, j) => assert.ok(Math.abs(weights[j] - p) <= relative * p, `key ${j}`));
    assert.match(look.head, /^layer \d, head \d$/);
    assert.equal(weights[best(weights)], Math.max(...weights));
  });

  test('holds beside the kernel, and not beside one that is off', () => {
    for (const look of looks) {
      const { kernel, split } = compare(engine, look);
      assert.ok(kernel.ratio <= 1 && kernel.measured > 0, `kernel ${kernel.ratio}`);
      assert.ok(split.ratio <= 1 && split.measured > 0, `split ${split.ratio}`);
      const off = {
        attention: (...given) => {
          const found = engine.attention(...given);
          return { ...found, scores: found.scores.map((z) => 1.001 * z) };
        },
      };
      assert.ok(compare(off, look).kernel.ratio > 1);
    }
  });

  test('of a row that was sent has its vectors, and without vectors there is none', () => {
    const row = {
      layer: 1,
      head: 3,
      words: ['a', ' '],
      weights: Float64Array.of(0.25, 0.75),
      q: Float32Array.of(1, 2),
      k: Float32Array.of(1, 0, 0, 1),
      scale: 0.5,
    };
    const { words, query, head } = lookOf(row);
    assert.deepEqual([words, query, head], [['a', 'key 1'], 'key 1', 'layer 1, head 3']);
    assert.equal(lookOf({ ...row, q: undefined }), undefined);
    assert.equal(lookOf(undefined), undefined);
    assert.deepEqual(byDistance(row.q, row.k, 1, row.scale), {
      query: 1.25,
      key: 0.25,
      distance: -0.5,
      score: 1,
    });
  });
});
