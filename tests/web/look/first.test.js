/** The first frame of the look, with a model, without one and with a lost one; and a finger. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { tellFirst } from '../../../web/panels/look/first.js';
import { firstFrame } from '../../../web/panels/look/frame.js';
import { letters, MODEL_FILE } from '../../support/web/letters.js';
import { calm, drawn, loadLook, openLook, PANEL, shown } from './page.js';
import { browsers, serve, served } from '../site.js';

const MODEL_FILE_PATH = `web/${MODEL_FILE}`;

/** The page with a first frame, and its story. */
async function withFrame() {
  const engine = await init({ layers: true, variant: 'simd' });
  const model = await loadModel(letters(), { engine });
  const told = tellFirst(model, { prompt: 'once upon a time', tokens: 24 });
  const html = firstFrame(told.story, told.head, told.i);
  const empty = '<div id="look-panel" class="panel"></div>';
  const page = {
    'web/index.html': (text) => {
      assert.ok(text.includes(empty));
      return text.replace(empty, () => empty.replace('></', `>${html}</`));
    },
  };
  return { ...told, page };
}

for (const { name, missing, launch } of browsers)
  describe(`the first frame in ${name}`, { skip: missing }, () => {
    let browser;
    let framed;
    before(async () => {
      [browser, framed] = await Promise.all([launch(), withFrame()]);
    });
    after(() => browser?.close());

    test('where the model is missing its first frame stays and says why', async () => {
      let missing = true;
      const without = await serve({
        panels: ['look'],
        change: framed.page,
        status: (path) => (missing && path === MODEL_FILE_PATH ? 404 : 200),
      });
      const visited = await browser.newPage();
      await visited.goto(without.url);
      const status = visited.locator(`${PANEL} .look-status`);
      await status.filter({ hasText: 'The model is not here' }).waitFor({ timeout: 60000 });
      assert.equal(await visited.locator(`${PANEL} .look-frame .look-map`).count(), 32);
      missing = false;
      await visited.locator(`${PANEL} button`, { hasText: 'try again' }).click();
      await visited.locator(`${PANEL}[data-tokens]`).waitFor({ timeout: 60000 });
      await visited.close();
      await without.close();
    });

    test('the story goes on from the first frame, with its numbers', async () => {
      const whole = await serve({ panels: ['look'], change: framed.page });
      const { page: visited, problems } = await openLook(browser, whole);
      const { text, at, weights } = await shown(visited);
      assert.equal(text, framed.story.text);
      assert.equal(at, framed.i);
      const row = framed.story.row(framed.head, framed.i);
      // the page may have other kernels than Node
      row.forEach((p, j) => assert.ok(Math.abs(weights[j] - p) < 1e-4));
      assert.deepEqual(problems, []);
      await visited.close();
      await whole.close();
    });
  });

describe('the word of the first frame', { skip: browsers[0].missing }, () => {
  test('stays on show while the story begins by itself, until something is pressed', async () => {
    const [browser, framed] = await Promise.all([browsers[0].launch(), withFrame()]);
    const whole = await serve({ panels: ['look'], change: framed.page });
    const visited = await browser.newPage();
    await visited.goto(whole.url);
    await visited.waitForFunction(
      ([panel, count]) => Number(document.querySelector(panel).dataset.tokens) > count,
      [PANEL, framed.story.tokens.length],
      { timeout: 60000 },
    );
    assert.equal((await shown(visited)).at, framed.i);
    await visited.locator(`${PANEL} button`, { hasText: 'One step more' }).click();
    await calm(visited);
    await drawn(visited);
    assert.equal((await shown(visited)).at, Number(await tokensOf(visited)) - 1);
    await browser.close();
    await whole.close();
  });
});

const tokensOf = (page) => page.locator(PANEL).getAttribute('data-tokens');

describe('the look on a phone', { skip: browsers[0].missing }, () => {
  const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const FRAGMENT = '#look?lookPrompt=once+upon+a+time';
  let site;
  let page;
  served(
    async (started) => {
      ({ site } = started);
      ({ page } = await openLook(started.browser, site, FRAGMENT, PHONE));
    },
    browsers[0].launch,
    { panels: ['look'] },
  );

  /** The middle of a token. */
  const middle = (at) =>
    page.$eval(`${PANEL} .token[data-i="${at}"]`, (token) => {
      const { x, y, width, height } = token.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    });
  const scrolled = () => page.evaluate(() => scrollY);

  /** A finger that goes down at a place, and to another one. Returns how it is lifted. */
  async function drag(from, to) {
    const client = await page.context().newCDPSession(page);
    const touch = (type, points) =>
      client.send('Input.dispatchTouchEvent', { type, touchPoints: points });
    await touch('touchStart', [from]);
    for (let step = 1; step <= 8; step++)
      await touch('touchMove', [
        { x: from.x + ((to.x - from.x) * step) / 8, y: from.y + ((to.y - from.y) * step) / 8 },
      ]);
    await drawn(page);
    return () => touch('touchEnd', []);
  }

  test('a finger moves along words and not the page, and locks where it is lifted', async () => {
    const before = await scrolled();
    const lift = await drag(await middle(2), await middle(9));
    assert.equal((await shown(page)).at, 9);
    await lift();
    await drawn(page);
    assert.equal((await shown(page)).at, 9);
    assert.match(await page.evaluate(() => location.hash), /^#look/);
    assert.equal(await page.locator(`${PANEL} .token.locked`).count(), 1);
    assert.equal(await scrolled(), before);
  });

  test('a finger that scrolls the page on a word shows the newest row again', async () => {
    await loadLook(page, site, FRAGMENT);
    const { at } = await shown(page);
    const from = await middle(2);
    const lift = await drag(from, { x: from.x, y: from.y - 150 });
    await lift();
    assert.ok((await scrolled()) > 0);
    await drawn(page);
    assert.notEqual(at, 2);
    assert.equal((await shown(page)).at, at);
  });

  test('says that its worker is lost, and has another one when it tries again', async () => {
    await loadLook(page, site, FRAGMENT);
    const worker = page.workers().find((each) => each.url().endsWith('/host.js'));
    await worker.evaluate(() => {
      setTimeout(() => {
        throw new Error('on purpose');
      });
    });
    const press = (label) => page.locator(`${PANEL} button`, { hasText: label }).click();
    await press('One step more');
    const status = page.locator(`${PANEL} .look-status`);
    await status.filter({ hasText: /^The model does not work: the worker is lost/ }).waitFor();
    await press('try again');
    await calm(page);
    await press('One step more');
    await page.waitForFunction(
      (text) => document.querySelector(text).textContent.length > 'once upon a time'.length,
      `${PANEL} .look-text`,
    );
    assert.equal(await status.textContent(), '');
  });
});
