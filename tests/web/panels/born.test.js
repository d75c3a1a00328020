/** The birth of a head in the page: its steps, and the step and the head of its numbers. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { LEAD, leaderOf } from '../../../web/panels/born/leader.js';
import { meanInWords } from '../../../web/panels/born/letters.js';
import { Run } from '../../../web/panels/born/run.js';
import { becomes } from '../../support/web/becomes.js';
import { singlePanel, verdictOf } from '../look/page.js';
import { missing, served } from '../site.js';

/** Points of two heads. @param {...[number, number]} shares */
const pointsOf = (...shares) =>
  shares.map((induction, i) => ({ step: 25 * i, induction: Float64Array.from(induction) }));

test('a head is named until another leads clearly, and the words say so', () => {
  const near = pointsOf([0.03, 0.02], [0.03, 0.03 + 0.9 * LEAD]);
  assert.deepEqual(leaderOf(near), { at: 0, before: -1, since: 0 });
  assert.doesNotMatch(meanInWords(0, 0.03, leaderOf(near)), /instead/);
  const clear = pointsOf([0.03, 0.02], [0.2, 0.35], [0.2, 0.4], [0.45, 0.4]);
  assert.deepEqual(leaderOf(clear), { at: 1, before: 0, since: 25 });
  const words = meanInWords(1, 0.4, leaderOf(clear));
  assert.match(words, /^That is one letter of one list\. Head 0\.1 puts 40 % on the letter that/);
  assert.match(words, /a mean over all letters that come again in 16 lists\. Since step 25 /);
  assert.match(words, /leads instead of head 0\.0: its mean was 10 percentage points higher/);
  assert.doesNotMatch(meanInWords(1, 0.4), /instead/, 'a chosen head needs no reason');
});

describe('a run that is ended', () => {
  let steps;
  const trainer = {
    evaluate: () => Promise.resolve({ loss: 1 }),
    heads: () => Promise.resolve({}),
    save: () => Promise.resolve({}),
    step: () => Promise.resolve(steps++),
  };
  beforeEach(() => (steps = 0));

  test('while it measures trains no more step, and has no new point', async () => {
    const lab = { ask: () => Promise.resolve(run.end()) };
    const run = new Run(0, lab, () => {});
    await run.train(trainer, 10);
    assert.deepEqual([steps, run.points.length], [0, 0]);
  });

  test('while it is paused keeps the point of its pause, and trains no more step', async () => {
    const told = [];
    const run = new Run(0, { ask: () => Promise.resolve({}) }, (change) => {
      told.push(change);
      if (change === 'step') run.pause(true);
      if (told.length === 3) run.end();
    });
    await run.train(trainer, 10);
    assert.deepEqual([steps, told], [1, ['point', 'step', 'point']]);
    assert.deepEqual(
      run.points.map(({ step }) => step),
      [0, 1],
    );
  });
});

describe('the birth of a head', { skip: missing }, () => {
  let page;
  served(async ({ browser, site }) => (page = await singlePanel(browser, site, 'born')));

  const step = () => page.evaluate(() => document.querySelector('#born progress').value);

  test('a head is born step by step, stands still while paused, and begins anew', async () => {
    await page.locator('#born-panel[data-step="0"]').waitFor();
    assert.equal(await page.getByLabel(/^The letters, one by one/).count(), 1);
    const told = () => page.locator('.born-steps').textContent();
    assert.equal(await told(), 'step 0 of 600, which take about a minute');
    await page.getByRole('button', { name: 'Train it' }).click();
    await page.waitForFunction(() => document.querySelector('#born progress').value > 2);
    await becomes(told, /^step \d+ of 600$/);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Go on' }).waitFor();
    assert.equal(await verdictOf(page, 'born-scores'), 'none', 'nothing is being checked');
    const still = async () => {
      const before = await step();
      await page.waitForTimeout(500);
      return (await step()) === before;
    };
    // the step that is under way ends
    await becomes(still, true);
    assert.equal(await page.getAttribute('#born-panel', 'data-phase'), 'paused', 'and not over');
    assert.equal(await page.locator('#born .look-map').count(), 16);
    await page.locator('#born').getByRole('button', { name: 'reset' }).click();
    await page.locator('#born-panel[data-phase="idle"][data-step="0"]').waitFor();
    assert.equal(await step(), 0);
    await page.getByRole('button', { name: 'Train it' }).click();
    await page.waitForFunction(() => document.querySelector('#born progress').value > 0);
  });

  test('each line of a curve with two has a name that begins with a piece of it', async () => {
    const styles = await page.$$eval('.born-curve:has(.born-key)', ([curve, ...others]) => ({
      others: others.length,
      names: [...curve.querySelectorAll('.born-key')].map((key) => [
        getComputedStyle(key.querySelector('i')).borderTopStyle,
        key.querySelector('strong').textContent,
      ]),
      lines: [...curve.querySelectorAll('.curve')].map(
        (line) => getComputedStyle(line).strokeDasharray,
      ),
    }));
    const said = (name) => `.born-curve .born-key:has(.${name}) strong`;
    assert.equal(styles.others, 0);
    assert.deepEqual(
      styles.names.map(([style]) => style),
      ['dashed', 'solid'],
    );
    assert.match(styles.lines[0], /5px/);
    assert.equal(styles.lines[1], 'none');
    for (const [i, name] of ['dashed', 'ink'].entries()) {
      const value = Number(await page.getAttribute(said(name), 'data-value'));
      assert.match(
        styles.names[i][1],
        new RegExp(`^${Math.round(100 * value)} % by head \\d\\.\\d$`),
      );
    }
  });

  test('the curves and the counter are of one step, also between two points', async () => {
    await page.locator('#born').getByRole('button', { name: 'reset' }).click();
    await page.locator('#born-panel[data-phase="idle"][data-step="0"]').waitFor();
    const shown = () =>
      page.evaluate(() => ({
        counter: Number(/^step (\d+) /.exec(document.querySelector('.born-steps').textContent)[1]),
        ends: [...document.querySelectorAll('.born-curve circle')].map(({ dataset }) =>
          Number(dataset.step),
        ),
      }));
    // mistakes, the letter before and the letter that followed
    const curves = (at) => ({ counter: at, ends: [at, at, at] });
    assert.deepEqual(await shown(), curves(0));
    await page.getByRole('button', { name: 'Train it' }).click();
    await page.waitForFunction(() => document.querySelector('#born progress').value > 2);
    const during = await shown();
    assert.deepEqual(during, curves(during.counter), 'while it trains');
    await page.getByRole('button', { name: 'Pause' }).click();
    await becomes(async () => (await shown()).counter === (await step()), true);
    const at = await step();
    assert.ok(at > 2, 'beyond the first point');
    assert.deepEqual(await shown(), curves(at));
  });
});
