/** The recipe of training/induction, and the curves that are kept of it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { chart } from '../../training/induction/chart.js';
import * as recipe from '../../training/induction/recipe.js';
import { run } from '../../training/induction/run.js';
import { repeats } from '../support/campaign.js';

const at = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const kept = JSON.parse(at('training/induction/curves.json'));
const { CONFIG, INTERVAL, OPTIONS, SECONDS, STEPS, THRESHOLD } = recipe;
const SIZE = OPTIONS.context + 1;

/** The sequences of a batch. */
const rowsOf = ({ sequences }) =>
  Array.from({ length: sequences.length / SIZE }, (_, row) => [
    ...sequences.subarray(row * SIZE, (row + 1) * SIZE),
  ]);
/** The shortest block that a sequence repeats. */
const periodOf = (row) =>
  row.findIndex((_, n) => n && row.every((token, i) => i < n || token === row[i - n]));

describe('sequences', () => {
  test('repeat a block of 8 to 32 different tokens, of all lengths in between', () => {
    const periods = new Set();
    for (let step = 0; step < 100; step++)
      for (const row of rowsOf(recipe.batchOf(0, step))) {
        const period = periodOf(row);
        assert.equal(new Set(row).size, period);
        periods.add(period);
      }
    const lengths = Array.from({ length: 25 }, (_, i) => i + 8);
    assert.deepEqual(
      [...periods].sort((x, y) => x - y),
      lengths,
    );
  });

  test('have a target wherever the next token repeats the block, and there alone', () => {
    const batch = recipe.batchOf(3, 4);
    rowsOf(batch).forEach((row, x) => {
      const at = x * OPTIONS.context;
      const wanted = row.slice(1).map((token, i) => (i + 1 < periodOf(row) ? -1 : token));
      assert.deepEqual([...batch.targets.subarray(at, at + OPTIONS.context)], wanted);
      assert.deepEqual([...batch.tokens.subarray(at, at + OPTIONS.context)], row.slice(0, -1));
    });
  });

  test('that are unseen repeat once, and are in no batch of the first seeds', () => {
    const unseen = rowsOf(recipe.unseen());
    assert.equal(unseen.length, OPTIONS.batch);
    for (const row of unseen) assert.equal(periodOf(row), 32);
    const shown = new Set(unseen.map(String));
    for (let seed = 0; seed < 3; seed++)
      for (let step = 0; step < STEPS; step++)
        for (const row of rowsOf(recipe.batchOf(seed, step))) assert.ok(!shown.has(String(row)));
  });

  test('differ from step to step and from seed to seed, and come again', () => {
    const tokens = (seed, step) => String(recipe.batchOf(seed, step).tokens);
    assert.equal(tokens(4, 5), tokens(4, 5));
    assert.notEqual(tokens(4, 6), tokens(4, 5));
    assert.notEqual(tokens(5, 5), tokens(4, 5));
  });
});

describe('the kept curves', () => {
  test('begin with the numbers that the recipe gives', async () => {
    const { points } = await run(0, { steps: 2 * INTERVAL });
    assert.equal(points.length, 3);
    points.forEach(({ step, loss, ...scores }, x) => {
      const wanted = kept.points[x];
      assert.equal(step, wanted.step);
      assert.equal(Number(loss.toPrecision(4)), wanted.loss);
      for (const [name, values] of Object.entries(scores))
        assert.deepEqual(
          [...values].map((value) => Number(value.toPrecision(4))),
          wanted[name],
        );
    });
  });

  test('have the step at which a head of these seeds forms', async () => {
    for (const { seed, formed } of kept.runs.slice(0, repeats(1, 10))) {
      const again = await run(seed, { whole: false });
      assert.equal(again.formed?.step, formed?.step, `seed ${seed}`);
    }
  });

  test('cover a whole run, with every head', () => {
    assert.equal(kept.points.at(-1).step, STEPS);
    assert.equal(kept.points.length, STEPS / INTERVAL + 1);
    for (const point of kept.points)
      for (const name of ['rho', 'chi', 'previousToken', 'induction'])
        assert.equal(point[name].length, CONFIG.layers * CONFIG.heads);
  });

  test('have an induction head in time for at least nine of ten seeds', () => {
    assert.deepEqual(
      kept.runs.map(({ seed }) => seed),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    const inTime = kept.runs.filter(({ formed }) => formed && formed.seconds <= SECONDS);
    assert.ok(inTime.length >= 9, `${inTime.length} seeds`);
    assert.ok(Math.max(...kept.points.at(-1).induction) >= THRESHOLD);
  });

  test('are those of the drawing', () => assert.equal(at('docs/induction.svg'), chart(kept)));
});
