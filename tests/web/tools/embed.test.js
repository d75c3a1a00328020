/** A panel alone, in a frame of another page. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { LONG } from '../../support/campaign.js';
import { BY_PANEL } from '../statuses.js';
import { go, launch, missing, opened, shoot } from '../site.js';

const OTHERS = ['look', 'cold-hot', 'born', 'lab', 'proofs', 'use'];
const PANELS = LONG ? [...Object.keys(BY_PANEL), ...OTHERS] : ['look', 'many-heads'];

/** A stop of the tour at these panels, whose links would be in the frame. */
const STOPS = { look: 1, 'many-heads': 3 };

/** In a frame: the parts that are seen, their links to other parts, and the place of the figure. */
const seen = () => ({
  parts: [...document.querySelectorAll('main > *, body > *')]
    .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height > 0)
    .filter((each) => each.localName !== 'main')
    .map((each) => each.id || each.className || each.localName),
  links: [...document.querySelectorAll('a[href^="#"]')]
    .filter((each) => each.checkVisibility())
    .map(({ textContent }) => textContent),
  across: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  window: [innerWidth, innerHeight],
  figure: document.querySelector('.embedded .panel').getBoundingClientRect().top,
});

describe('a frame of 640 by 480 pixels', { skip: missing }, () => {
  let page;
  let site;
  let outside;
  opened(
    async (visited) => {
      ({ page, site } = visited);
      outside = await visited.browser.newPage();
      outside.on('pageerror', ({ stack }) => assert.fail(stack));
      await outside.goto(site.blank);
    },
    launch,
    { panels: PANELS },
  );

  /** Puts this HTML into another page, and waits until its frame has the panel. */
  async function framed(text, id) {
    await outside.evaluate((html) => void (document.body.innerHTML = html), text);
    const element = await outside.waitForSelector('iframe');
    const frame = await element.contentFrame();
    await frame.waitForSelector(`#${id}[data-panel="ready"]`, { timeout: 60000 });
    await frame.waitForFunction(() => !document.querySelector('[data-verdict="waiting"]'));
    if (id === 'look') await frame.waitForSelector('#look-panel[data-tokens]');
    return frame;
  }

  test('the code that the page offers shows the panel as it is, and it works there', async () => {
    await go(page, '#many-heads?H=4&G=2&n=9&T=0.5');
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
    });
    await page.locator('#many-heads .tools').getByRole('button', { name: 'embed' }).click();
    const frame = await framed(
      await page.locator('#many-heads textarea').inputValue(),
      'many-heads',
    );
    const note = (where) => where.textContent('#many-heads .figure-note');
    assert.equal(await note(frame), await note(page));
    await frame.getByLabel('Temperature T, as a number').fill('2');
    await frame.getByLabel('Temperature T, as a number').press('Enter');
    await becomes(() => frame.evaluate(() => location.hash), /^#many-heads\?v=1.*&T=2(&|$)/);
    const verdicts = () =>
      frame.$$eval('[data-statement]', (all) => all.map(({ dataset }) => dataset.verdict));
    assert.deepEqual([...new Set(await becomes(verdicts, Array(8).fill('holds')))], ['holds']);
  });

  test('readers who look have its code and a picture, and not the files of numbers', async () => {
    const shown = async (depth) => {
      await page.locator(`#depth-${depth}`).check();
      const tools = await page.locator('#many-heads .tools button').all();
      const visible = await Promise.all(tools.map((each) => each.isVisible()));
      const names = await Promise.all(tools.map((each) => each.textContent()));
      return names.filter((_, at) => visible[at]);
    };
    const look = ['reset', 'copy link', 'embed', 'PNG'];
    assert.deepEqual(await shown('look'), look);
    const more = ['copy as JavaScript', 'CSV', 'JSON'];
    assert.deepEqual((await shown('understand')).sort(), [...look, ...more].sort());
  });

  test('a press in it is no step of the page around it', async () => {
    const code = `<iframe src="${site.url}?embed=many-heads"></iframe>`;
    const frame = await framed(code, 'many-heads');
    const steps = () => outside.evaluate(() => history.length);
    const before = await steps();
    await frame.getByRole('button', { name: 'T = infinity, exactly' }).click();
    await becomes(() => frame.evaluate(() => location.hash), '#many-heads?v=1&T=Infinity');
    assert.equal(await steps(), before);
  });

  for (const id of PANELS)
    test(`it has ${id} and nothing else, its figure in sight, nothing too wide`, async () => {
      const at = `?embed=${id}#tour=${STOPS[id] ?? 0}`;
      const code = `<iframe src="${site.url}${at}" width="640" height="480"></iframe>`;
      const frame = await framed(code, id);
      const { parts, links, across, window, figure } = await frame.evaluate(seen);
      assert.deepEqual(parts, [id]);
      assert.deepEqual(links, []);
      assert.equal(across, 0);
      assert.deepEqual(window, [640, 480]);
      assert.ok(figure < 120, `the figure begins at ${figure}`);
      await shoot(outside, `embed-${id}`);
    });
});
