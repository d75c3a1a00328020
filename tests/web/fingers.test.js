/** A finger drags whatever a mouse drags, and the page does not scroll under it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../support/web/becomes.js';
import { drawn, launch, missing, opened } from './site.js';

/** Those with handles, which access.test.js counts in the whole page, and the one with maps. */
const PANELS = ['one-look', 'many-heads', 'trust', 'commitment', 'compromise'];
/** The query and six keys, five reports, a budget and a compromise. */
const HANDLES = 7 + 5 + 1 + 1;

const PHONE = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
};

/** A finger put down at a place, moved in steps as a hand does, and lifted. */
async function drag(page, [x, y], [dx, dy], steps = 14) {
  const client = await page.context().newCDPSession(page);
  const touch = (type, at) =>
    client.send('Input.dispatchTouchEvent', { type, touchPoints: at ? [at] : [] });
  await touch('touchStart', { x, y });
  for (let step = 1; step <= steps; step++)
    await touch('touchMove', { x: x + (dx * step) / steps, y: y + (dy * step) / steps });
  await touch('touchEnd');
  await client.detach();
  await drawn(page);
}

describe('a finger', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: PANELS, context: PHONE });

  test('drags each handle of each figure, and the page stays where it is', async () => {
    const handles = await page.locator('[data-draggable]').all();
    assert.equal(handles.length, HANDLES);
    for (const handle of handles) {
      const name = await handle.getAttribute('aria-label');
      await handle.scrollIntoViewIfNeeded();
      const state = () =>
        handle.evaluate((element) => [element.getAttribute('aria-valuenow'), scrollY]);
      const [value, scroll] = await state();
      const box = await handle.locator('.target, rect').first().boundingBox();
      await drag(page, [box.x + box.width / 2, box.y + box.height / 2], [-56, 112]);
      const [moved, scrolled] = await state();
      assert.notEqual(moved, value, `${name} follows the finger`);
      assert.equal(scrolled, scroll, `the page scrolls under ${name}`);
    }
  });

  test('scrolls the page from anywhere else on the circle', async () => {
    const frame = page.locator('.circle-frame');
    await frame.scrollIntoViewIfNeeded();
    const before = await page.evaluate(() => scrollY);
    const box = await frame.boundingBox();
    await drag(page, [box.x + 12, box.y + box.height - 12], [0, -150]);
    await page.waitForFunction((from) => scrollY > from + 50, before);
  });

  test('or a mouse on a handle leaves no box of the browser around it', async () => {
    const key = page.locator('.handle.key').first();
    await key.scrollIntoViewIfNeeded();
    const box = await key.locator('.target').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.up();
    assert.equal(await key.evaluate((element) => getComputedStyle(element).outlineStyle), 'none');
  });

  test('shows a cell with the first tap, and locks it with the second', async () => {
    const cursor = page.locator('.head .map-cursor').nth(1);
    await cursor.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    const box = await cursor.boundingBox();
    const side = box.width / 32;
    const tap = () => page.touchscreen.tap(box.x + 3.5 * side, box.y + 12.5 * side);
    const shown = (words) => becomes(() => page.textContent('.readout'), words);
    await tap();
    await shown(/Head 1.*a second tap locks.*Query 12, key 3/);
    await tap();
    await shown(/Head 1.*locked, another tap releases.*Query 12, key 3/);
    const words = await page.innerText('#many-heads');
    assert.match(words, /Tap a cell/);
    assert.doesNotMatch(words, /click|Esc|Page keys/);
  });
});
