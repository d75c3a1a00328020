/** The place of the window and the focus, while the panel of a stop of the tour is on its way. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { launch, missing, served } from '../site.js';

/** Pixels above a line that is brought up. */
const MARGIN = 16;

describe('a stop of the tour whose panel is on its way', { skip: missing }, () => {
  let browser;
  let site;
  served((started) => ({ browser, site } = started), launch, {
    panels: ['many-heads'],
    modules: true,
  });

  /** At the stop, and the release of its panel. */
  async function waiting() {
    const viewport = { width: 1280, height: 900 };
    const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
    let release;
    const released = new Promise((resolve) => (release = resolve));
    await page.route('**/panels/many-heads/index.js', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(site.url, { waitUntil: 'commit' });
    const link = page.locator('.tour li a[href^="#many-heads"]');
    await page.locator('#many-heads[data-panel]').waitFor({ state: 'attached' });
    await link.click();
    await becomes(() => top(page), MARGIN);
    await frames(page);
    return { page, release };
  }
  const top = (page) =>
    page.evaluate(() =>
      Math.round(document.querySelector('.tour-stop').getBoundingClientRect().top),
    );
  const frames = (page) =>
    page.evaluate(async () => {
      for (let i = 0; i < 20; i++) await new Promise(requestAnimationFrame);
    });
  const arrived = (page) => page.locator('#many-heads[data-panel="ready"]').waitFor();

  test('leaves a reader who scrolls without a press, and a focus elsewhere', async () => {
    const { page, release } = await waiting();
    await page.evaluate(() => scrollTo(0, 0));
    await page.evaluate(() => document.getElementById('theme-dark').focus({ preventScroll: true }));
    await frames(page);
    assert.equal(await page.evaluate('scrollY'), 0);
    release();
    await arrived(page);
    await frames(page);
    assert.equal(await page.evaluate('scrollY'), 0);
    assert.equal(await page.evaluate('document.activeElement.id'), 'theme-dark');
    await page.close();
  });

  test('stays at the top with the focus, while the page above it grows', async () => {
    const { page, release } = await waiting();
    await page.evaluate(() => (document.querySelector('main').style.paddingTop = '500px'));
    await becomes(() => top(page), MARGIN);
    await page.locator('.tour-stop a', { hasText: 'next' }).focus();
    release();
    await arrived(page);
    await becomes(() => top(page), MARGIN);
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'next');
    await page.close();
  });

  test('stays at the top where a browser follows the growth of the page', async () => {
    const { page, release } = await waiting();
    await page.evaluate(() => {
      document.querySelector('main').style.paddingTop = '500px';
      scrollBy({ top: 500, behavior: 'instant' });
    });
    await frames(page);
    // it still follows
    await page.evaluate(() => (document.querySelector('main').style.paddingTop = ''));
    await becomes(() => top(page), MARGIN);
    release();
    await arrived(page);
    await becomes(() => top(page), MARGIN);
    await page.close();
  });
});
