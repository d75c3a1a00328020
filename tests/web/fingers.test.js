/** A finger drags whatever a mouse drags, and the page does not scroll under it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launch, missing, serve, visit } from './site.js';

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
  await page.waitForTimeout(80);
}

describe('a finger', { skip: missing }, () => {
  let browser;
  let site;
  let page;
  before(async () => {
    browser = await launch();
    site = await serve();
    ({ page } = await visit(browser, site, '', PHONE));
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  test('drags each handle of each figure, and the page stays where it is', async () => {
    const handles = await page.locator('[data-draggable]').all();
    assert.ok(handles.length >= 7, `${handles.length} handles`);
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
    assert.ok((await page.evaluate(() => scrollY)) > before + 50);
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
});
