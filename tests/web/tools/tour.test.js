/** The tour: six links, each of which is a state of the page, and a line that says it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { PANELS } from '../../../web/page/panels.js';
import { Store } from '../../../web/page/state.js';
import { becomes } from '../../support/web/becomes.js';
import { launch, missing, served } from '../site.js';

const html = await readFile(new URL('../../../web/index.html', import.meta.url), 'utf8');
const [, list] = /<nav class="tour.*?<ol>(.*?)<\/ol>/s.exec(html);
const STOPS = [
  ...list.matchAll(/<a[^>]*\shref="([^"]+)">([^<]+)<\/a>\s*<span>([^<]+)<\/span>/g),
].map(([, href, name, told]) => ({
  href: href.replaceAll('&amp;', '&'),
  name,
  told: told.replace(/\s+/g, ' '),
}));

/**
 * In the section of each stop, the things that it speaks of, or the first of them. On a phone the
 * four stories and the eight heads are longer than a window.
 */
const FIRST = [
  ['.look-text .token:nth-last-of-type(2)'],
  ['.cold-bars'],
  ['.head:nth-of-type(2)'],
  ['.bell svg'],
  ['.lab-told .lab-story'],
  ['.fused-pass tbody tr:nth-of-type(2)'],
];
const ALL = FIRST.with(1, ['.cold-bars', '.cold-story:nth-of-type(4)']).with(2, [
  '.head:nth-of-type(1)',
  '.head:nth-of-type(8)',
]);

/** All settings of the page. */
function settings() {
  const store = new Store();
  store.number('tour', 0, { min: 0, max: 6, integer: true });
  for (const { id, state = () => ({}) } of PANELS) store.of(id, state);
  return store;
}

test('each stop is a panel, with settings that the page has and that are not its own', () => {
  assert.equal(STOPS.length, 6);
  const ids = PANELS.map(({ id }) => id);
  const places = STOPS.map(({ href, told }, i) => {
    const store = settings();
    assert.deepEqual(store.read(href), [], href);
    assert.equal(store.signals.get('tour').value, i + 1);
    assert.equal(store.fragment(), href, 'the link is the whole state, as the page writes it');
    assert.match(href, /&tour=\d&\w+=/, 'it changes a setting');
    assert.match(told, /Look for|look for/);
    return ids.indexOf(store.section);
  });
  assert.ok(
    places.every((place, i) => place > (places[i - 1] ?? -1)),
    'down the page',
  );
  assert.equal(places[0], ids.indexOf('look'));
});

describe('the tour', { skip: missing }, () => {
  let browser;
  let site;
  const panels = STOPS.map(({ href }) => /#([\w-]+)/.exec(href)[1]);
  served((started) => ({ browser, site } = started), launch, { panels });

  /** In the page: the stop that is told, and its place. */
  const stop = (page) =>
    page.evaluate(() => {
      const all = document.querySelectorAll('.tour-stop');
      const [line] = all;
      return {
        count: all.length,
        section: line?.closest('section').id,
        told: line?.textContent.replace(/ +(back|next|the end)/g, ''),
        focused: document.activeElement === line,
        position: line && getComputedStyle(line).position,
        hash: location.hash,
      };
    });

  test('goes through its stops and back by plain links, and ends at the story', async () => {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
    });
    page.setDefaultTimeout(120000);
    await page.goto(site.url);
    await page.locator('#look[data-panel="ready"]').waitFor();
    assert.equal((await stop(page)).count, 0);
    await page.locator('.tour li a').first().click();
    const at = (i) =>
      becomes(() => stop(page), {
        count: 1,
        section: panels[i],
        told: `Stop ${i + 1} of 6. ${STOPS[i].told}`,
        focused: true,
        position: 'static',
        hash: STOPS[i].href,
      });
    const follow = (name) => page.locator('.tour-stop a', { hasText: name }).click();
    await at(0);
    assert.equal(await page.locator('.tour-stop a').count(), 1, 'nothing is before the first');
    for (let i = 1; i < STOPS.length; i++) {
      await follow('next');
      await at(i);
    }
    await follow('back');
    await at(4);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await at(5);
    await follow('the end');
    await becomes(async () => [(await stop(page)).count, (await stop(page)).hash], [0, '#look']);
    await page.close();
  });

  for (const [width, height, what, things] of [
    [1366, 768, 'all things', ALL],
    [390, 844, 'the first things', FIRST],
    [320, 640, 'the first things', FIRST],
  ])
    test(`shows its words and ${what} they speak of in one window, ${width} wide`, async () => {
      const phone = width < 500 ? { isMobile: true, hasTouch: true } : {};
      const viewport = { width, height };
      const page = await browser.newPage({ viewport, reducedMotion: 'reduce', ...phone });
      page.setDefaultTimeout(120000);
      await page.goto(site.url + STOPS[0].href);
      for (const [i, parts] of things.entries()) {
        const place = () =>
          page.evaluate((selectors) => {
            const edges = (element) => {
              const { top, bottom, height } = element?.getBoundingClientRect() ?? { top: NaN };
              // the beginning of a tall one is enough
              return [top, Math.min(bottom, top + Math.max(120, height / 2))];
            };
            const inWindow = ([top, end]) => top >= 0 && end <= innerHeight;
            const line = document.querySelector('.tour-stop');
            const section = line?.closest('section');
            const seen = selectors.map((selector) => section?.querySelector(selector));
            return [line, ...seen].map((each) => inWindow(edges(each)) || edges(each).join(' to '));
          }, parts);
        await becomes(place, [true, ...parts.map(() => true)]);
        if (i + 1 < things.length) await page.locator('.tour-stop a', { hasText: 'next' }).click();
      }
      await page.close();
    });
});
