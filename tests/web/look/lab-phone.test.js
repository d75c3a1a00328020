/** The lab on a phone: the changed story is in the window with the button that changes it. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { launch, missing, opened } from '../site.js';

const PHONES = [
  { width: 390, height: 844 },
  { width: 320, height: 640 },
];

describe('the lab on a phone', { skip: missing }, () => {
  let page;
  const context = { viewport: PHONES[0], hasTouch: true, isMobile: true };
  opened((visited) => ({ page } = visited), launch, { panels: ['lab'], context });
  // its model begins when it is seen
  before(() => page.evaluate(() => document.querySelector('#lab-panel').scrollIntoView()));

  test('keeps no place for a story that nothing changed', async () => {
    await page.waitForSelector('#lab-panel[data-told="true"]');
    assert.equal(
      await page.$eval('.lab-told', (told) => getComputedStyle(told).position),
      'static',
    );
    await page.locator('.lab-head >> nth=1').tap();
    await page.waitForSelector('.lab-told.changed');
  });

  for (const viewport of PHONES)
    test(`shows the changed story beside each button, small, at ${viewport.width}`, async () => {
      await page.setViewportSize(viewport);
      for (const selector of [
        '.lab-head >> nth=1',
        '.lab-words .lab-word >> nth=1',
        '#lab-panel .slider input[type=range]',
        '.lab-mix button',
      ]) {
        const control = page.locator(selector).first();
        await control.waitFor();
        // as far up as a reader has it who scrolls down to it
        await control.evaluate((element) => element.scrollIntoView({ block: 'nearest' }));
        await becomes(
          () =>
            control.evaluate((element) => {
              const story = document.querySelector('.lab-told .lab-story').getBoundingClientRect();
              const told = document.querySelector('.lab-told').getBoundingClientRect();
              const seen = Math.min(told.bottom, innerHeight) - Math.max(0, story.top);
              return {
                story: seen > 40 && story.top > told.top,
                small: told.height <= 140,
                free: element.getBoundingClientRect().bottom <= told.top,
              };
            }),
          { story: true, small: true, free: true },
          selector,
        );
      }
    });

  test('has its first story above its controls, for the Tab key too', async () => {
    const first = page.locator('.lab-first .lab-word >> nth=0');
    const hasFocus = (selector) =>
      page.evaluate((name) => !!document.activeElement.closest(name), selector);
    await first.focus();
    await page.keyboard.press('Tab');
    assert.ok(await hasFocus('#lab-panel .look-left'));
    const above = await page.$eval('.lab-first', (element) => {
      const left = document.querySelector('#lab-panel .look-left').getBoundingClientRect();
      return element.getBoundingClientRect().bottom <= left.top;
    });
    assert.ok(above);
    // in two columns it is beside them, and comes after them
    await first.focus();
    await page.setViewportSize({ width: 1280, height: 800 });
    await becomes(() => page.locator('.look-side > .lab-first').count(), 1);
    assert.ok(await hasFocus('.lab-first'), 'the focus moves with the story');
    await page.keyboard.press('Shift+Tab');
    assert.ok(await hasFocus('.lab-first h3 button'), 'the way to the explanation');
    await page.keyboard.press('Shift+Tab');
    assert.ok(await hasFocus('#lab-panel .look-left'));
    await page.setViewportSize(PHONES.at(-1));
    await becomes(() => page.locator('.look-below > .lab-first').count(), 1);
  });

  test('has a way from its first story to the explanation of a word', async () => {
    await page.locator('.lab-first h3 button').tap();
    const { y } = await page.locator('.lab-why').boundingBox();
    assert.ok(Math.abs(y) < 40, `the explanation is at ${y}`);
  });

  test('a press is seen there at once', async () => {
    const story = () => page.textContent('.lab-told .lab-story');
    await becomes(() => page.getAttribute('#lab-panel', 'data-told'), 'true');
    const before = await story();
    for (const name of ['0.1', '1.2', '2.3', '3.4']) {
      const head = page.locator('.lab-head', { hasText: name });
      await head.scrollIntoViewIfNeeded();
      await head.tap();
    }
    await becomes(() => page.getAttribute('#lab-panel', 'data-told'), 'true');
    await becomes(async () => (await story()) !== before, true);
    const { y, height } = await page.locator('.lab-told .lab-story').boundingBox();
    assert.ok(y > 0 && y + Math.min(height, 40) <= PHONES.at(-1).height, `${y}`);
  });
});
