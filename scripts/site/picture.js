/**
 * Takes the picture of the built page that the README shows: the first screen in the light theme,
 * with the row of the first frame, when the model has written some words and waits.
 *
 *   npm run site && node scripts/site/picture.js
 */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { host } from './measure/host.js';

const PICTURE = fileURLToPath(new URL('../../docs/page.png', import.meta.url));

/** Words that it writes for the picture. */
const WORDS = 30;

const { url, close } = await host();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 860 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  await page.goto(url);
  // the first frame is alive, and its row was computed once more
  await page.locator('#look-panel[data-phase="paused"]').waitFor({ timeout: 120000 });
  await page.locator('[data-statement^="look"][data-verdict="holds"]').first().waitFor({
    state: 'attached',
    timeout: 120000,
  });
  // its row is shown again, once the model has gone on
  const here = await page.locator('#look-panel .token.here').getAttribute('data-i');
  const root = page.locator('#look-panel');
  for (let word = 0; word < WORDS; word++) {
    const tokens = Number(await root.getAttribute('data-tokens'));
    await page.getByRole('button', { name: 'One step more' }).click();
    await page.locator(`#look-panel[data-tokens="${tokens + 1}"]`).waitFor();
  }
  await page.locator(`#look-panel [data-i="${here}"]`).click();
  await page.mouse.move(1270, 850);
  await page.locator(`#look-panel[data-phase="paused"]`).waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: PICTURE });
} finally {
  await browser.close();
  await close();
}
