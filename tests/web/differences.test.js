/** The differences of the distance panel: legend and histogram count alike, and hide none. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { go, launch, missing, opened } from './site.js';

const PAIRS = 32 * 32;
/** Equal and unequal keys, warm and cold: weights that agree, that differ, and that are lost. */
const STATES = ['', 'kT=1', 'nk=0&kT=0.001', 'nk=0&kT=0.001&e=float32', 'nk=0&nq=0&kT=0.005&rk=1'];

describe('differences of weights', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['distance'] });

  /** Numbers of pairs in the legend, in the histogram and below it. */
  const counted = async () => {
    const text = await page.$$eval(
      '#distance-panel .legend-extra, #distance-panel svg[aria-label^="Histogram"]',
      (all) => all.map((each) => each.ariaLabel ?? each.textContent).join(' '),
    );
    const numberOf = (pattern) => Number(pattern.exec(text)?.[1] ?? 0);
    return {
      agree: numberOf(/(\d+) of 1024 weights agree to the last bit/),
      exact: numberOf(/(\d+) exact,/),
      apart: numberOf(/ (\d+) apart/),
      unitless: numberOf(/as softmax is 0 there: (\d+)/),
      lost: numberOf(/Not a number: (\d+)/),
    };
  };

  for (const state of STATES)
    test(`are counted once at ${state || 'the default'}`, async () => {
      await go(page, `#${state}`);
      const { agree, exact, apart, unitless, lost } = await counted();
      assert.equal(exact, agree);
      assert.equal(exact + apart + unitless + lost, PAIRS);
    });

  test('below the end of the legend are told by its ≤', async () => {
    const lowest = () =>
      page.$$eval('#distance-panel .legend', ([, each]) => each.querySelector('text').textContent);
    await go(page, '#kT=0.001&e=float32');
    assert.match(await lowest(), /^≤ 10/);
    await go(page, '#');
    assert.match(await lowest(), /^10/);
  });
});
