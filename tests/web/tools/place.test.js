/** A change of the depth, which makes panels above longer or shorter. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drawn, launch, missing, opened } from '../site.js';

const PANELS = ['one-look', 'cold-hot', 'trust', 'commitment', 'compromise'];

describe('the words that are read stay in their place', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: PANELS });

  /** At this height of the window, and how far down the page. */
  const placeOf = (selector) =>
    page.evaluate((name) => {
      const { top } = document.querySelector(name).getBoundingClientRect();
      return { top, below: top + scrollY };
    }, selector);
  const choose = async (depth) => {
    await page.evaluate((value) => document.getElementById(`depth-${value}`).click(), depth);
    await drawn(page);
  };

  /** As by hand: the page no longer keeps the place that it had before. */
  const scrollTo = (top) =>
    page.evaluate((to) => {
      dispatchEvent(new WheelEvent('wheel'));
      window.scrollTo(0, to);
    }, top);

  for (const [where, selector, top] of [
    ['a heading', '#compromise h2', 90],
    ['a paragraph', '#commitment .words > p:nth-of-type(3)', 12],
    ['a figure that begins above the window', '#commitment .frontier', -240],
  ])
    test(`${where}, at every depth`, async () => {
      // the anchors of a browser would help, and Safari has none
      await page.evaluate(() => (document.documentElement.style.overflowAnchor = 'none'));
      await page.evaluate(() => document.activeElement?.blur());
      await choose('look');
      const { below } = await placeOf(selector);
      await scrollTo(below - top);
      const first = await placeOf(selector);
      assert.ok(Math.abs(first.top - top) < 1, `${first.top}`);
      for (const depth of ['doubt', 'understand', 'look']) {
        await choose(depth);
        const now = await placeOf(selector);
        assert.ok(Math.abs(now.top - top) < 1.5, `${depth}: ${now.top} and not ${top}`);
        const moved = now.below - first.below;
        assert.equal(
          depth === 'look' ? Math.abs(moved) < 1 : moved > 100,
          true,
          `${depth}: ${moved}`,
        );
      }
    });

  test('a control that has the focus, before any words', async () => {
    await choose('look');
    await page.locator('#trust .slider input[type=range]').focus();
    await scrollTo((await page.evaluate(() => scrollY)) + 60);
    const { top } = await placeOf('#trust .slider input[type=range]');
    await choose('doubt');
    const now = await placeOf('#trust .slider input[type=range]');
    assert.ok(Math.abs(now.top - top) < 1.5, `${now.top} and not ${top}`);
  });
});
