/** The page on paper, and in the colours that a reader forces on it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drawn, everything, missing, served, visit } from './site.js';

/** The resolved colours of some of the page's names. */
const colours = (page, names) =>
  page.evaluate((names) => {
    const probe = document.body.appendChild(document.createElement('i'));
    const found = names.map((name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    });
    probe.remove();
    return found;
  }, names);

/** The colour of the first pixel that is painted on each canvas. */
const corners = (page) =>
  page.$$eval('canvas', (all) =>
    all.map((canvas) => {
      const copy = new OffscreenCanvas(1, 1).getContext('2d');
      copy.drawImage(canvas, 0, 0);
      return [...copy.getImageData(0, 0, 1, 1).data].join();
    }),
  );

describe('a medium with colours of its own', { skip: missing }, () => {
  let browser;
  let site;
  let light;
  let dark;
  served(async (started) => {
    ({ browser, site } = started);
    ({ page: light } = await visit(browser, site, '', { colorScheme: 'light' }));
    ({ page: dark } = await visit(browser, site, '', { colorScheme: 'dark' }));
  });

  for (const theme of ['auto', 'dark'])
    test(`paper is light, with the ${theme} theme chosen`, async () => {
      await dark.locator(`#theme-${theme}`).check();
      assert.notDeepEqual(await corners(dark), await corners(light), 'maps are dark');
      await dark.evaluate(() => dispatchEvent(new Event('beforeprint')));
      await dark.emulateMedia({ media: 'print' });
      await light.emulateMedia({ media: 'print' });
      const names = ['--paper', '--ink', '--q', '--k', '--v', '--rule', '--link'];
      assert.deepEqual(await colours(dark, names), await colours(light, names));
      assert.deepEqual(await corners(dark), await corners(light));
      const address = dark.getByText('Printed from');
      assert.ok(await address.isVisible());
      assert.equal(await address.textContent(), `Printed from ${dark.url()}`);
      await dark.emulateMedia({ media: 'screen' });
      await dark.evaluate(() => dispatchEvent(new Event('afterprint')));
      assert.notDeepEqual(await corners(dark), await corners(light), 'and dark again');
      await light.emulateMedia({ media: 'screen' });
    });

  test('nothing is cut off or painted over its neighbour on a page of A4', async () => {
    await light.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await light.emulateMedia({ media: 'print' });
    await light.setViewportSize({ width: 718, height: 1046 });
    await drawn(light);
    const wide = await light.$$eval('svg, canvas, table, pre', (all) =>
      all
        .filter((each) => each.checkVisibility() && !each.closest('.visually-hidden'))
        .filter((each) => each.getBoundingClientRect().right > 719)
        .map((each) => each.outerHTML.slice(0, 100)),
    );
    assert.deepEqual(wide, []);
    const whole = await light.$$eval('figure, .pinned, .statement, .sheet tbody tr', (all) =>
      all
        .filter((each) => each.checkVisibility())
        .filter((each) => getComputedStyle(each).breakInside !== 'avoid')
        .map((each) => each.outerHTML.slice(0, 60)),
    );
    assert.deepEqual(whole, [], 'no figure or row is torn in two');
    const shades = await light.$$eval('.token, .look-cell, .cache-bar, .gauge span', (all) =>
      all.map((each) => getComputedStyle(each).printColorAdjust),
    );
    assert.ok(shades.length > 60, `${shades.length} shades and bars`);
    assert.deepEqual([...new Set(shades)], ['exact'], 'no shade or bar is left out');
    const [text, empty] = await light.$eval('.opening .look-text', (each) => {
      const words = document.createRange();
      words.selectNodeContents(each);
      return [words.getBoundingClientRect().height, each.getBoundingClientRect().height];
    });
    assert.ok(empty < 1.3 * text, `${empty} pixels for ${text} of story`);
    await light.emulateMedia({ media: 'screen' });
    await light.evaluate(() => dispatchEvent(new Event('afterprint')));
  });

  test('a figure that is not drawn yet says so on paper, and the next print has it', async () => {
    const page = await browser.newPage({ reducedMotion: 'reduce' });
    let release;
    const released = new Promise((resolve) => (release = resolve));
    await page.route('**/panels/*/index.js', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(site.url, { waitUntil: 'commit' });
    await page.locator('#use[data-panel]').waitFor({ state: 'attached' });
    await page.emulateMedia({ media: 'print' });
    const figures = () =>
      page.$$eval('[data-panel] > .panel', (all) =>
        all.map((panel) => ({
          id: panel.id,
          says: getComputedStyle(panel, '::before').content,
          seen: [...panel.children].some((each) => each.checkVisibility()),
        })),
      );
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const first = await figures();
    assert.equal(first.length, 15);
    for (const { id, says, seen } of first)
      if (id !== 'look-panel' && id !== 'use-panel') {
        assert.match(says, /not drawn yet\. .*print once more/, id);
        assert.equal(seen, false, id);
      }
    assert.ok(first.find(({ id }) => id === 'use-panel').seen);
    release();
    await everything(page);
    for (const { id, says, seen } of await figures()) {
      assert.doesNotMatch(says, /print/, id);
      assert.ok(seen, id);
    }
    await page.close();
  });

  for (const colorScheme of ['light', 'dark'])
    test(`forced colours are used with a ${colorScheme} system`, async () => {
      const page = colorScheme === 'light' ? light : dark;
      await page.locator('#theme-auto').check();
      await page.emulateMedia({ forcedColors: 'active' });
      const check = async () =>
        assert.deepEqual(
          await colours(page, ['--paper', '--ink', '--k', '--pass']),
          await page.evaluate(() => {
            const probe = document.body.appendChild(document.createElement('i'));
            const [canvas, text] = ['Canvas', 'CanvasText'].map((name) => {
              probe.style.color = name;
              return getComputedStyle(probe).color;
            });
            probe.remove();
            return [canvas, text, text, text];
          }),
        );
      await check();
      await page.evaluate(() => void (document.documentElement.dataset.theme = 'dark'));
      await check();
    });
});
