/** A finger drags whatever a mouse drags, and the page does not scroll under it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../support/web/becomes.js';
import { drawn, launch, missing, opened } from './site.js';

/** Those with handles, which access.test.js counts in the whole page, and the one with maps. */
const PANELS = ['one-look', 'many-heads', 'trust', 'commitment', 'compromise'];
/** The query and six keys, six reports, a budget and a compromise. */
const HANDLES = 7 + 6 + 1 + 1;

const PHONE = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
};

/** A finger: it is put down at a place, moved and lifted. */
async function finger(page) {
  const client = await page.context().newCDPSession(page);
  const touch = (type, ...touchPoints) =>
    client.send('Input.dispatchTouchEvent', { type, touchPoints });
  return {
    down: (x, y) => touch('touchStart', { x, y }),
    move: (x, y) => touch('touchMove', { x, y }),
    up: () => touch('touchEnd'),
  };
}

async function mouse(page) {
  const down = (x, y) => page.mouse.move(x, y).then(() => page.mouse.down());
  return { down, move: (x, y) => page.mouse.move(x, y), up: () => page.mouse.up() };
}

/** Moved in 6 steps, as a hand does; `see` looks after every second, when the page is drawn. */
async function drag(page, hand, [x, y], [dx, dy], see = () => {}) {
  const { down, move, up } = await hand(page);
  await down(x, y);
  const seen = [];
  for (let step = 1; step <= 6; step++) {
    await move(x + (dx * step) / 6, y + (dy * step) / 6);
    if (step % 2) continue;
    await drawn(page);
    seen.push(await see());
  }
  await up();
  return seen;
}

describe('a finger', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: PANELS, context: PHONE });

  /** @param {import('playwright-core').Locator} handle */
  async function follows(handle, hand) {
    await handle.scrollIntoViewIfNeeded();
    const scroll = await page.evaluate(() => scrollY);
    const { x, y, width, height } = await handle.locator('.target, rect').first().boundingBox();
    const value = () => handle.getAttribute('aria-valuetext');
    const values = [await value()];
    const away = x > PHONE.viewport.width / 2 ? -56 : 56;
    values.push(...(await drag(page, hand, [x + width / 2, y + height / 2], [away, 28], value)));
    const label = await handle.getAttribute('aria-label');
    assert.equal(new Set(values).size, 4, `${label} follows all the way: ${values.join(' | ')}`);
    assert.equal(await page.evaluate(() => scrollY), scroll, `the page scrolls under ${label}`);
  }

  test('drags each handle of each figure all the way, and the page stays', async () => {
    const handles = await page.locator('[data-draggable]').all();
    assert.equal(handles.length, HANDLES);
    for (const handle of handles) await follows(handle, finger);
  });

  test('or a mouse drags a handle of each kind all the way, and selects no text', async () => {
    for (const kind of ['query', 'key', 'value', 'spent', 'mix']) {
      await follows(page.locator(`.handle.${kind}`).last(), mouse);
      assert.equal(await page.evaluate(() => String(getSelection())), '');
    }
  });

  test('hits links of the masthead and choices that are 30 pixels high', async () => {
    const heights = await page.$$eval('.masthead nav a, .counter a, .option label', (all) => {
      return all
        .filter((each) => each.checkVisibility())
        .map((each) => [each.textContent.trim(), each.getBoundingClientRect().height]);
    });
    assert.ok(heights.length > 10, `${heights.length} of them`);
    for (const [name, height] of heights) assert.ok(height >= 30, `${name}: ${height}`);
  });

  test('scrolls the page from anywhere else on the circle', async () => {
    const frame = page.locator('.circle-frame');
    await frame.scrollIntoViewIfNeeded();
    const before = await page.evaluate(() => scrollY);
    const box = await frame.boundingBox();
    await drag(page, finger, [box.x + 12, box.y + box.height - 12], [0, -150]);
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
