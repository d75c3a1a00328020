/** The reports of witnesses, which are numbers of the values of a row. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { originOf, reportsOf } from '../../../web/panels/trust/reports.js';
import { REPORTS } from '../../../web/panels/trust/state.js';

const keys = { minKeys: 2, maxKeys: 6 };
/** A row of seven keys, whose values have two numbers. */
const row = {
  source: 'test',
  layer: 0,
  head: 1,
  position: 6,
  temperature: 1,
  words: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
  weights: new Float64Array(7).fill(1 / 7),
  scores: Float64Array.of(5, 0, 4, 3, 1, 2, 6),
  v: Float32Array.of(0.5, 9, 9, 9, -0.25, 9, 1, 9, 0.25, 9, 0, 9, -0.125, 9),
};

describe('the reports of a row', () => {
  test('are the first numbers of the values of its best keys, times a factor that is told', () => {
    const { reports, factor } = reportsOf(row, keys);
    assert.equal(factor, 2.2);
    assert.deepEqual(reports, [1.1, -0.55, 2.2, 0.55, 0, -0.275]);
    assert.equal(
      originOf({ reports, factor }, reports),
      'A report is the first number of the word’s value, times 2.2.',
    );
    assert.match(
      originOf({ reports, factor }, [0, ...reports.slice(1)]),
      /A report was dragged\.$/,
    );
  });

  test('fit the figure, however large or small the values are', () => {
    for (const size of [1e-6, 1, 1e6]) {
      const { reports } = reportsOf({ ...row, v: row.v.map((x) => x * size) }, keys);
      const largest = Math.max(...reports.map(Math.abs));
      assert.ok(largest > 2 && largest < 2.5, `${largest}`);
    }
    const { reports } = reportsOf({ ...row, v: new Float32Array(14) }, keys);
    assert.deepEqual(reports, [0, 0, 0, 0, 0, 0]);
  });

  test('are the example’s where there is no row, no value or too few keys, and say so', () => {
    const { words, scores, v, ...others } = row;
    const short = { words: words.slice(0, 1), scores: scores.slice(0, 1), v: v.slice(0, 2) };
    for (const sent of [undefined, { ...others, words, scores }, { ...others, ...short }]) {
      const own = reportsOf(sent, keys);
      assert.deepEqual(own, { reports: REPORTS, factor: 0 });
      assert.equal(originOf(own, REPORTS), 'These reports are made up.');
    }
  });
});
