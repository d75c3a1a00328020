/** The figures of the page fit every width, have names, and stay in print. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LONG, repeats } from '../support/campaign.js';
import { findings } from './axe.js';
import { drawn, go, launch, missing, opened, settled, shoot, visit } from './site.js';

/** Pages in which axe looks as well: each theme, a phone and a desk. */
const SEARCHED = ['320 light', '1280 dark'];

/**
 * The themes have the same sizes, since they are lists of colours. So the dark one is looked at in
 * one width, and in all of them in a long run.
 */
const schemes = (width) =>
  width === 1280 ? ['light', 'dark'] : repeats(['light'], ['light', 'dark']);

/** In the page: names that a curve runs through. Those that are turned lie along theirs. */
function crossed() {
  const found = new Set();
  for (const svg of document.querySelectorAll('svg')) {
    const names = [...svg.querySelectorAll('text:not([transform])')].map((text) => ({
      text: text.textContent,
      box: text.getBoundingClientRect(),
    }));
    for (const curve of svg.querySelectorAll('.curve, .bound-line, .mix-path')) {
      const matrix = curve.getScreenCTM();
      const length = curve.getTotalLength();
      for (let at = 0; at < length; at += 3) {
        const { x, y } = curve.getPointAtLength(at).matrixTransform(matrix);
        for (const { text, box } of names)
          if (x > box.left && x < box.right && y > box.top + 3 && y < box.bottom - 3)
            found.add(`${curve.getAttribute('class')} / ${text}`);
      }
    }
  }
  return [...found];
}

/** Figures that are larger on a wide screen. */
const GROW = ['#born .look-wall', '.head', '.three-maps .map-box', '.why-bars', '.pushes'];

/** In the page: how wide those are, and running text, and the pictures that are not sharp. */
function measured(grow) {
  const widthOf = (element) => element.getBoundingClientRect().width;
  const seen = (what) =>
    [...document.querySelectorAll(what)].filter((each) => each.checkVisibility());
  const figures = grow.map((what) => [what, widthOf(document.querySelector(what))]);
  const lines = seen('main :is(p, figcaption, .statement-line)').filter((each) => each.textContent);
  const text = lines.map((each) => ({
    words: each.textContent.slice(0, 60),
    width: widthOf(each),
  }));
  const uneven = seen('.map-box canvas').filter((each) => widthOf(each) % each.width);
  const scaled = seen('figure > svg[viewBox]').filter(
    (each) => Math.abs(each.viewBox.baseVal.width - widthOf(each)) >= 1,
  );
  const blurred = [...uneven, ...scaled].map((each) => each.parentElement.outerHTML.slice(0, 90));
  return { figures, text, blurred };
}

describe('using the page', { skip: missing }, () => {
  let browser;
  let site;
  let page;
  // a bundle would have the oracles in other lines
  opened((visited) => ({ browser, site, page } = visited), launch, { modules: true });

  /** The page at a width. In a long run it opens there, and otherwise it gets there. */
  async function sizedTo(width, colorScheme = 'light') {
    const viewport = { width, height: 800 };
    if (LONG) {
      await page.close();
      ({ page } = await visit(browser, site, '', { viewport, colorScheme }));
    }
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await drawn(page);
  }

  for (const width of [320, 390, 768, 1280, 1920]) {
    for (const colorScheme of schemes(width)) {
      const searched = SEARCHED.includes(`${width} ${colorScheme}`);
      const claim = `nothing scrolls sideways or overlaps${searched ? ', axe finds nothing' : ''}`;
      test(`${width} pixels, ${colorScheme}: ${claim}`, async () => {
        await sizedTo(width, colorScheme);
        const { scroll, client, clashes } = await page.evaluate(() => {
          const clashes = [];
          for (const svg of document.querySelectorAll('svg')) {
            const boxes = [...svg.querySelectorAll('text')].map((text) => ({
              text: text.textContent,
              box: text.getBoundingClientRect(),
            }));
            boxes.forEach((a, i) =>
              boxes.slice(i + 1).forEach((b) => {
                const across =
                  Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
                const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
                if (across > 1 && down > 4) clashes.push(`${a.text} / ${b.text}`);
              }),
            );
          }
          return {
            scroll: document.documentElement.scrollWidth,
            client: document.documentElement.clientWidth,
            clashes,
          };
        });
        await shoot(page, `${width}-${colorScheme}`);
        const numbers = page.getByText('the numbers, and angles to type').first();
        await numbers.evaluate((summary) => void (summary.parentElement.open = true));
        await page.getByText('show how it is checked').first().click();
        const cut = await page.$$eval('.table-scroll, .rosetta, .formula, pre', (all) =>
          all
            .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth)
            .map((each) => each.outerHTML.slice(0, 80)),
        );
        assert.deepEqual(cut, [], 'no table, formula or oracle is cut');
        const [top, ...others] = await page.$$eval('.three-maps figure', (all) =>
          all.map((each) => each.getBoundingClientRect().top),
        );
        assert.ok(
          others.every((each) => each === top),
          'the three maps stand in a row',
        );
        assert.equal(scroll, client);
        assert.deepEqual(clashes, []);
        assert.deepEqual(await page.evaluate(crossed), [], 'no curve runs through a name');
        if (width === 320) {
          // 320 and 280 with a classic scrollbar beside the page
          for (const narrow of [305, 265]) {
            await sizedTo(narrow, colorScheme);
            const across = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.equal(across, narrow, `nor at ${narrow} pixels`);
          }
        }
        if (searched) assert.deepEqual(await findings(page), []);
      });
    }
  }

  test('on a laptop a temperature and the verdict of its panel are seen together', async () => {
    await sizedTo(1366);
    await page.locator('#depth-look').check();
    await drawn(page);
    const apart = await page.$$eval('main section', (all) =>
      all
        .map((section) => ({
          id: section.id,
          tick: [...section.querySelectorAll('.tick')].find((each) => each.checkVisibility()),
          knob: [...section.querySelectorAll('input[type=range]')].find((each) =>
            /Temperature/.test(each.closest('.control')?.textContent ?? each.ariaLabel),
          ),
        }))
        .filter(({ tick, knob }) => tick && knob)
        .map(({ id, tick, knob }) => {
          const [a, b] = [tick.getBoundingClientRect(), knob.getBoundingClientRect()];
          return [id, Math.max(a.bottom, b.bottom) - Math.min(a.top, b.top)];
        }),
    );
    assert.ok(apart.length >= 6, `${apart.length} panels with a temperature`);
    assert.deepEqual(
      apart.filter(([, height]) => height > 740),
      [],
    );
    await page.locator('#depth-doubt').check();
  });

  test('the figures use the width: maps do not shrink, and heads fill their rows', async () => {
    for (const width of [360, 800, 1280, 1920]) {
      await sizedTo(width);
      await go(page, '#');
      const panel = await page.locator('.heads').boundingBox();
      const right = Math.max(
        ...(await page.$$eval('.head', (all) =>
          all.map((each) => each.getBoundingClientRect().right),
        )),
      );
      assert.ok(
        right - panel.x > 0.88 * panel.width,
        `${width}: heads end at ${right - panel.x} of ${panel.width}`,
      );
      const { width: before } = await page.locator('.pinned .map-box').boundingBox();
      await go(page, '#n=256');
      const { width: after } = await page.locator('.pinned .map-box').boundingBox();
      if (width > 360) assert.ok(after >= before, `${width}: ${after} instead of ${before}`);
      if (width === 1920) assert.ok(panel.width > 1300, `${panel.width} pixels of heads`);
    }
  });

  test('a wide screen has larger figures, all sharp, and lines as short as before', async () => {
    await sizedTo(1280);
    await go(page, '#');
    const before = await page.evaluate(measured, GROW);
    await sizedTo(1920);
    const { figures, text, blurred } = await page.evaluate(measured, GROW);
    figures.forEach(([what, width], at) => {
      const [, old] = before.figures[at];
      assert.ok(width >= 1.3 * old, `${what} has ${width} pixels, and ${old} before`);
    });
    assert.deepEqual(blurred, []);
    assert.equal(text.length, before.text.length);
    const longer = text.filter(({ width }, at) => width > Math.max(680, before.text[at].width));
    assert.deepEqual(longer, []);
  });

  test('every picture has words: each group, map and chart has a name', async () => {
    const nameless = await page.evaluate(() => {
      const named = (element) => (element.getAttribute('aria-label') ?? '').length > 8;
      const wrong = [...document.querySelectorAll('canvas')].filter(
        (canvas) => canvas.getAttribute('aria-hidden') !== 'true',
      );
      const silent = [...document.querySelectorAll('svg')].filter(
        (svg) =>
          !svg.closest('[aria-hidden="true"], [role="img"]:not(svg)') &&
          !(svg.getAttribute('role') && named(svg)),
      );
      const roles = [
        ...document.querySelectorAll(
          '[role="img"], [role="group"], [role="region"], [role="application"]',
        ),
      ].filter((element) => !named(element));
      return [...wrong, ...silent, ...roles].map((element) => element.outerHTML.slice(0, 120));
    });
    assert.deepEqual(nameless, []);
    const label = await page.getAttribute('.bars svg', 'aria-label');
    assert.match(
      label,
      /Lily 0\.406, saw 0\.003, a 0\.001, red 0\.025, ball 0\.102, She 0\.463; the largest on She/,
    );
  });

  test('with forced colours and in print the figures and their verdicts stay', async () => {
    await sizedTo(1280);
    await go(page, '#');
    await page.emulateMedia({ forcedColors: 'active' });
    assert.ok(await page.isVisible('.head canvas'));
    await shoot(page, 'forced-colours');
    await page.emulateMedia({ media: 'print', forcedColors: 'none' });
    await settled(page);
    assert.ok(await page.isVisible('#statement-C2 .verdict'));
    assert.ok(!(await page.isVisible('.controls')));
    await shoot(page, 'print');
  });
});
