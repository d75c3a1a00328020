/** The page on paper, and in the colours that a reader forces on it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launch, missing, serve, visit } from './site.js';

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
  before(async () => {
    browser = await launch();
    site = await serve();
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  for (const theme of ['auto', 'dark'])
    test(`paper is light, with the ${theme} theme chosen`, async () => {
      const { page } = await visit(browser, site, '', { colorScheme: 'dark' });
      const light = await visit(browser, site, '', { colorScheme: 'light' });
      if (theme === 'dark') await page.locator('#theme-dark').check();
      assert.notDeepEqual(await corners(page), await corners(light.page), 'maps are dark');
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
      await page.emulateMedia({ media: 'print' });
      await light.page.emulateMedia({ media: 'print' });
      const names = ['--paper', '--ink', '--q', '--k', '--v', '--rule', '--link'];
      assert.deepEqual(await colours(page, names), await colours(light.page, names));
      assert.deepEqual(await corners(page), await corners(light.page));
      const address = page.getByText('Printed from');
      assert.ok(await address.isVisible());
      assert.equal(await address.textContent(), `Printed from ${page.url()}`);
      await page.emulateMedia({ media: 'screen' });
      await page.evaluate(() => dispatchEvent(new Event('afterprint')));
      assert.notDeepEqual(await corners(page), await corners(light.page), 'and dark again');
      await page.close();
      await light.page.close();
    });

  test('nothing is cut off or painted over its neighbour on a page of A4', async () => {
    const { page } = await visit(browser, site, '');
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 718, height: 1046 });
    await page.waitForTimeout(200);
    const wide = await page.$$eval('svg, canvas, table, pre', (all) =>
      all
        .filter((each) => each.checkVisibility() && !each.closest('.visually-hidden'))
        .filter((each) => each.getBoundingClientRect().right > 719)
        .map((each) => each.outerHTML.slice(0, 100)),
    );
    assert.deepEqual(wide, []);
    const whole = await page.$$eval('figure, .pinned, .statement', (all) =>
      all
        .filter((each) => each.checkVisibility())
        .filter((each) => getComputedStyle(each).breakInside !== 'avoid')
        .map((each) => each.outerHTML.slice(0, 60)),
    );
    assert.deepEqual(whole, [], 'no figure is torn in two');
    await page.close();
  });

  for (const colorScheme of ['light', 'dark'])
    test(`forced colours are used with a ${colorScheme} system`, async () => {
      const { page } = await visit(browser, site, '', { forcedColors: 'active', colorScheme });
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
      await page.close();
    });
});
