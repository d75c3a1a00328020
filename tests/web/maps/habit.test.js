/** The sentence that tells where a head mostly looks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { habitOf } from '../../../web/panels/many-heads/habit.js';
import { weightsOf } from '../recompute.js';

/** The map of some rows of weights. */
const mapOf = (rows, masked = () => false) => ({
  rows: rows.length,
  cols: rows[0].length,
  weights: Float32Array.from(rows.flatMap((row) => [...row])),
  counts: new Int32Array(rows.length).fill(rows[0].length),
  masked,
});
const causal = (i, j) => j > i;
const told = (rows, masked) => habitOf(mapOf(rows, masked), 'Head 4').replace(/^Head 4 /, '');
/** n queries that look at the place `back` before theirs, as far as there is one. */
const looking = (n, back) =>
  Array.from({ length: n }, (_, i) =>
    Float32Array.from({ length: n }, (_, j) => (j === i - back ? 0.5 : 0.01)),
  );

describe('where a head mostly looks', () => {
  test('is told for the heads that the page begins with, as their recipes make them', () => {
    /** Of 31 queries with a choice, those whose best key is there. */
    const count = (h, place) =>
      weightsOf({}, h).filter(
        (row, i) => i && row.slice(0, i + 1).indexOf(Math.max(...row.slice(0, i + 1))) === place(i),
      ).length;
    const back = (h, places) =>
      `${count(h, (i) => i - places)} of 31 queries that may read several keys.`;
    const first = (h) => `${count(h, () => 0)} of 31 queries that may read several keys.`;
    const sentences = Array.from({ length: 8 }, (_, h) => told(weightsOf({}, h), causal));
    assert.deepEqual(sentences, [
      `looks mostly one place back: ${back(0, 1)}`,
      `looks mostly at the first key: ${first(1)}`,
      `looks mostly at its own place: ${back(2, 0)}`,
      'looks at no place in particular.',
      `looks mostly 4 places back: ${back(4, 4)}`,
      'looks at no place in particular.',
      `looks mostly at the first key: ${first(6)}`,
      `looks mostly 8 places back: ${back(7, 8)}`,
    ]);
  });

  test('may be ahead, and is nowhere if fewer than half agree', () => {
    assert.equal(
      told(looking(9, -2)),
      'looks mostly 2 places ahead: 7 of 9 queries that may read several keys.',
    );
    const rows = [...looking(9, 1).slice(0, 5), ...looking(9, 3).slice(5)];
    assert.equal(
      told(rows, causal),
      'looks mostly one place back: 4 of 8 queries that may read several keys.',
    );
    rows[4] = looking(9, 2)[4];
    assert.equal(
      told(rows, causal),
      'looks mostly 3 places back: 4 of 8 queries that may read several keys.',
    );
    rows[5] = looking(9, 2)[5];
    assert.equal(told(rows, causal), 'looks at no place in particular.');
  });

  test('is nowhere where weights tie or are no numbers, and one key is no choice', () => {
    assert.equal(told(looking(5, 9)), 'looks at no place in particular.');
    const lost = looking(5, 1).map((row) => row.map((p, j) => (j === 2 ? NaN : p)));
    assert.equal(told(lost), 'looks at no place in particular.');
    const oneKey = (i, j) => i !== j;
    assert.match(told(looking(5, 0), oneKey), /^has no choice/);
  });

  test('is that of the weights, also where the map shows them times lengths', () => {
    const of = { weights: mapOf(looking(6, 1)).weights, lengths: new Float64Array(6).fill(1) };
    const data = { ...mapOf(looking(6, 3), causal), of };
    assert.equal(
      habitOf(data, 'Head 4'),
      'Head 4 looks mostly one place back: 5 of 5 queries that may read several keys.',
    );
  });
});
