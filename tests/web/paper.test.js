/** The page on paper, and in the colours that a reader forces on it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drawn, everything, launch, missing, served } from './site.js';

/** The resolved colours of some of the page's names, as a picture has them. */
const colours = (page, names) =>
  page.evaluate((names) => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.forcedColorAdjust = 'none';
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

/** The figures: the words instead of them, and whether they are seen. */
const figures = (page) =>
  page.$$eval('[data-panel] > .panel', (all) =>
    all.map((panel) => ({
      id: panel.id,
      says: getComputedStyle(panel, '::before').content,
      seen: [...panel.children].some((each) => each.checkVisibility()),
    })),
  );

describe('a medium with colours of its own', { skip: missing }, () => {
  let page;
  /** The figures on paper, before and after they were drawn. */
  let early;
  let late;
  served(
    async ({ browser, site }) => {
      const viewport = { width: 1280, height: 900 };
      page = await browser.newPage({ viewport, reducedMotion: 'reduce', colorScheme: 'light' });
      let release;
      const released = new Promise((resolve) => (release = resolve));
      await page.route('**/panels/*/index.js', async (route) => {
        await released;
        await route.continue();
      });
      await page.goto(`${site.url}?depth=doubt`, { waitUntil: 'commit' });
      await page.locator('#use[data-panel]').waitFor({ state: 'attached' });
      await print();
      early = await figures(page);
      release();
      await everything(page);
      late = await figures(page);
      await toScreen();
    },
    launch,
    { modules: true },
  );

  const send = (event) => page.evaluate((name) => dispatchEvent(new Event(name)), event);
  async function print() {
    await send('beforeprint');
    await page.emulateMedia({ media: 'print' });
  }
  async function toScreen() {
    await page.emulateMedia({ media: 'screen' });
    await send('afterprint');
  }
  /** The page on the screen of a system with this scheme, whose reader chose a theme. */
  async function wear(colorScheme, theme) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`#theme-${theme}`).check();
    await drawn(page);
  }

  test('a figure that is not drawn yet says so on paper, and the next print has it', () => {
    assert.equal(early.length, 15);
    for (const { id, says, seen } of early)
      if (id !== 'look-panel' && id !== 'use-panel') {
        assert.match(says, /not drawn yet\. .*print once more/, id);
        assert.equal(seen, false, id);
      }
    assert.ok(early.find(({ id }) => id === 'use-panel').seen);
    for (const { id, says, seen } of late) {
      assert.doesNotMatch(says, /print/, id);
      assert.ok(seen, id);
    }
  });

  for (const theme of ['auto', 'dark'])
    test(`paper is light, with the ${theme} theme chosen`, async () => {
      const names = ['--paper', '--ink', '--q', '--k', '--v', '--rule', '--link', '--w1', '--w6'];
      await wear('light', 'auto');
      const light = await corners(page);
      await page.emulateMedia({ media: 'print' });
      const paper = [await colours(page, names), await corners(page)];
      await page.emulateMedia({ media: 'screen' });

      await wear('dark', theme);
      assert.notDeepEqual(await corners(page), light, 'maps are dark');
      await print();
      assert.deepEqual([await colours(page, names), await corners(page)], paper);
      const address = page.getByText('Printed from');
      assert.ok(await address.isVisible());
      assert.equal(await address.textContent(), `Printed from ${page.url()}`);
      await toScreen();
      assert.notDeepEqual(await corners(page), light, 'and dark again');
    });

  test('nothing is cut off or painted over its neighbour on a page of A4', async () => {
    await wear('light', 'auto');
    await print();
    await page.setViewportSize({ width: 718, height: 1046 });
    await drawn(page);
    // a map of the look is the upper left of its canvas
    const boxes = 'svg, canvas:not(.look-map *), .look-map, table, pre';
    const wide = await page.$$eval(boxes, (all) =>
      all
        .filter((each) => each.checkVisibility() && !each.closest('.visually-hidden'))
        .filter((each) => each.getBoundingClientRect().right > 719)
        .map((each) => each.outerHTML.slice(0, 100)),
    );
    assert.deepEqual(wide, []);
    const whole = await page.$$eval('figure, .pinned, .statement, .sheet tbody tr', (all) =>
      all
        .filter((each) => each.checkVisibility())
        .filter((each) => getComputedStyle(each).breakInside !== 'avoid')
        .map((each) => each.outerHTML.slice(0, 60)),
    );
    assert.deepEqual(whole, [], 'no figure or row is torn in two');
    const shades = await page.$$eval('.token, .look-cell, .cache-bar, .gauge span', (all) =>
      all.map((each) => getComputedStyle(each).printColorAdjust),
    );
    assert.ok(shades.length > 60, `${shades.length} shades and bars`);
    assert.deepEqual([...new Set(shades)], ['exact'], 'no shade or bar is left out');
    const [text, empty] = await page.$eval('.opening .look-text', (each) => {
      const words = document.createRange();
      words.selectNodeContents(each);
      return [words.getBoundingClientRect().height, each.getBoundingClientRect().height];
    });
    assert.ok(empty < 1.3 * text, `${empty} pixels for ${text} of story`);
    await toScreen();
  });

  for (const colorScheme of ['light', 'dark'])
    test(`forced colours are used with a ${colorScheme} system`, async () => {
      await wear(colorScheme, 'auto');
      await page.emulateMedia({ forcedColors: 'active' });
      const brightness = (colour) => colour.match(/\d+/g).reduce((sum, each) => sum + +each, 0);
      const check = async () => {
        const [paper, strongest] = (await colours(page, ['--paper', '--w6'])).map(brightness);
        assert.ok(Math.abs(paper - strongest) > 600, 'the strongest look stands out');
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
      };
      await check();
      await page.evaluate(() => void (document.documentElement.dataset.theme = 'dark'));
      await check();
      await page.evaluate(() => void delete document.documentElement.dataset.theme);
      await page.emulateMedia({ forcedColors: 'none' });
    });
});
