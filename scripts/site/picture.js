/**
 * Takes the pictures of the built page: docs/page.png, which the README shows, and the one on the
 * card of a link (card.js). Both show the look in the light theme. The model has written some words
 * and waits, and the row of the first frame is on show.
 *
 *   npm run site && node scripts/site/picture.js
 *
 * The next build takes the picture of the card into build/site.
 */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { PICTURE } from './card.js';
import { host } from './measure/host.js';

/** A card has the title of the page beside it, so that its picture begins below. */
const PICTURES = [
  { path: 'docs/page.png', viewport: { width: 1280, height: 860 }, words: 30, from: 'body' },
  {
    path: `web/${PICTURE}`,
    viewport: { width: 1200, height: 630 },
    words: 60,
    from: '#look-panel',
    quality: 75,
  },
];

/** Lets the model write. @param {import('playwright-core').Page} page @param {number} words */
async function write(page, words) {
  // the first frame is alive, and its row was computed once more
  await page.locator('#look-panel[data-phase="paused"]').waitFor({ timeout: 120000 });
  await page.locator('[data-statement^="look"][data-verdict="holds"]').first().waitFor({
    state: 'attached',
    timeout: 120000,
  });
  // its row is shown again, once the model has gone on
  const here = await page.locator('#look-panel .token.here').getAttribute('data-i');
  const root = page.locator('#look-panel');
  for (let word = 0; word < words; word++) {
    const tokens = Number(await root.getAttribute('data-tokens'));
    await page.getByRole('button', { name: 'One step more' }).click();
    await page.locator(`#look-panel[data-tokens="${tokens + 1}"]`).waitFor();
  }
  await page.locator(`#look-panel [data-i="${here}"]`).click();
  await page.locator(`#look-panel[data-phase="paused"]`).waitFor();
}

const { url, close } = await host();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
try {
  for (const { path, viewport, words, from, quality } of PICTURES) {
    const page = await browser.newPage({
      viewport,
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    await page.goto(url);
    await write(page, words);
    await page.locator(from).evaluate((element) => element.scrollIntoView());
    await page.mouse.move(viewport.width - 10, viewport.height - 10);
    await page.evaluate(() => document.fonts.ready);
    // a name that ends in .jpg makes a JPEG, which alone has a quality
    await page.screenshot({
      path: fileURLToPath(new URL(`../../${path}`, import.meta.url)),
      quality,
    });
    await page.close();
  }
} finally {
  await browser.close();
  await close();
}
