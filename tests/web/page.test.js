/** The page as it is served, plainly or with faults, with motion and themes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { bits } from './bits.js';
import { ROUTES } from '../../web/panels/one-look/index.js';
import { attentionWeights, average, onCircle as on, VALUES } from './recompute.js';
import {
  browsers,
  everything,
  ISOLATION,
  launch,
  missing,
  reopen,
  serve,
  served,
  shoot,
  statements,
  verdicts,
  visit,
} from './site.js';
import { ALL, BY_PANEL } from './statuses.js';

/** The page's folder, for Node. */
const here = new URL('../../web/', import.meta.url).href;
/** Of tests that look at the page as a whole; only the first needs all. */
const PANELS = ['one-look', 'many-heads'];

const SOURCES = /^https:\/\/(arxiv\.org\/abs\/|peter-fields\.github\.io\/why-softmax\/$)/;
const OURS = /^https:\/\/(github\.com\/clearhead-js\/|www\.npmjs\.com\/package\/clearhead$)/;

/**
 * In the page: fractions, indices and powers that lack a part, and letters with a space. Such a
 * letter would be a word, which is upright.
 */
function faultyFormulas() {
  const faulty = [...document.querySelectorAll('mfrac, msub, msup, munder, mover')]
    .filter((each) => each.childElementCount !== 2)
    .concat(
      [...document.querySelectorAll('msubsup, munderover')].filter(
        (each) => each.childElementCount !== 3,
      ),
      [...document.querySelectorAll('mi, mo, mn')].filter((each) => /\s/.test(each.textContent)),
    );
  return faulty.map(({ outerHTML }) => outerHTML);
}

/** In the page: whether nothing reaches beyond the sides of the window, formulas least of all. */
function fits() {
  const { scrollWidth, clientWidth } = document.documentElement;
  return (
    scrollWidth === clientWidth &&
    [...document.querySelectorAll('math')]
      .map((each) => each.getBoundingClientRect())
      .every(({ left, right }) => left >= 0 && right <= clientWidth)
  );
}

for (const { name, missing, launch } of browsers)
  test(
    `the page opens in ${name} with the bits of Node, its statements and formulas, also on a phone`,
    { skip: missing },
    async () => {
      const [browser, site] = await Promise.all([launch(), serve({ modules: true })]);
      try {
        const { page, problems } = await visit(browser, site);
        assert.deepEqual(problems, []);
        assert.equal(await page.evaluate(() => document.documentElement.dataset.engine), 'ready');
        assert.match(
          await page.textContent('#badge'),
          /computed here, just now: wasm code with SIMD, one thread/,
        );
        assert.ok(site.requests.every((path) => path.startsWith('/some/where/deep/')));
        // an equation holds, a bound is kept with slack
        const kinds = new Set(Object.values(await verdicts(page)));
        assert.deepEqual([...kinds].sort(), ['holds', 'slack']);
        assert.deepEqual(await page.evaluate(bits, site.url), await bits(here));
        // each of them is guarded: mutations.test.js
        assert.deepEqual(Object.keys(await statements(page)).sort(), ALL);
        assert.deepEqual(await page.evaluate(faultyFormulas), []);
        await page.setViewportSize({ width: 320, height: 800 });
        await page.waitForFunction(fits, null, { timeout: 60000 });
      } finally {
        await browser.close();
        await site.close();
      }
    },
  );

describe('the page, from a plain static server in a sub-path', { skip: missing }, () => {
  let browser;
  let site;
  /** For any of the servers. */
  let page;
  const how = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' };
  served(
    async (started) => {
      ({ browser, site } = started);
      page = await browser.newPage({ ...how, reducedMotion: 'reduce' });
    },
    launch,
    { panels: PANELS },
  );

  test('works when the server does not know what a .wasm file is', async () => {
    const ignorant = await serve({
      panels: PANELS,
      types: { '.wasm': 'application/octet-stream' },
    });
    await reopen(page, ignorant);
    assert.equal((await verdicts(page)).C0, 'holds');
    await ignorant.close();
  });

  test('gives the same bits and verdicts where a page may have threads', async () => {
    const isolated = await serve({ panels: PANELS, headers: ISOLATION });
    const { page: other, problems } = await visit(browser, isolated);
    assert.equal(await other.evaluate(() => crossOriginIsolated), true);
    assert.deepEqual(await other.evaluate(bits, isolated.url), await bits(here));
    const plain = PANELS.map((panel) => BY_PANEL[panel]);
    assert.deepEqual(await verdicts(other), Object.assign({}, ...plain));
    assert.deepEqual(problems, []);
    await other.close();
    await isolated.close();
  });

  test('allows itself no inline script, no inline style and no stranger', async () => {
    const html = readFileSync(new URL('../../web/index.html', import.meta.url), 'utf8');
    assert.match(
      html.replace(/\s+/g, ' '),
      /'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; style-src 'self'/,
    );
    assert.doesNotMatch(html, /\sstyle=|<style|\son\w+=|<script>/);
    for (const [, url] of html.matchAll(/(?:src|href)="(https?:[^"]+)"/g))
      assert.ok(
        SOURCES.test(url) || OURS.test(url),
        `${url}: only sources, the code and the package leave the page`,
      );
  });

  for (const [what, status, expected] of [
    [
      'the kernels are not there',
      (path) => (path.endsWith('.wasm') ? 404 : 200),
      /The wasm code did not run.*ClearheadError NET: .*404/,
    ],
    [
      'the binding is not there',
      (path) => (path === 'src/js/index.js' ? 404 : 200),
      /The wasm code did not run.*TypeError: .*index\.js/,
    ],
  ]) {
    test(`says why when ${what}, and keeps its words`, async () => {
      const broken = await serve({ panels: PANELS, status, modules: true });
      await reopen(page, broken);
      assert.match(await page.textContent('#failure'), expected);
      assert.ok(await page.isVisible('#failure'));
      assert.equal(await page.textContent('#badge'), 'no wasm code');
      assert.match(await page.textContent('#many-heads'), /Every square is one head/);
      await shoot(page, `failure-${what.replaceAll(' ', '-')}`);
      await broken.close();
    });
  }

  for (const [what, change, status, reason] of [
    [
      'a module is not there',
      {},
      (path) => (path === 'web/page/panels.js' ? 404 : 200),
      /main\.js, or a module it imports, did not load/,
    ],
    ['a module has an error', { 'web/page/panels.js': () => 'export {' }, () => 200, /SyntaxError/],
  ]) {
    test(`says so when ${what}, instead of loading for ever`, async () => {
      const broken = await serve({ panels: PANELS, status, change, modules: true });
      await reopen(page, broken);
      assert.match(await page.textContent('#failure'), reason);
      assert.ok(await page.isVisible('#failure'));
      assert.equal(await page.textContent('#badge'), 'not started');
      await broken.close();
    });
  }

  test('says so in a frame that may not load modules', async () => {
    const sandbox = await serve({
      panels: PANELS,
      headers: { 'content-security-policy': 'sandbox allow-scripts' },
    });
    await reopen(page, sandbox);
    assert.match(await page.textContent('#failure'), /did not load/);
    await sandbox.close();
  });

  test('without JavaScript tells the first figure in words, with true numbers', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(site.url);
    const text = await page.innerText('body');
    const { weights, kl } = attentionWeights(on(38), [12, 165, 235, 310, 100, 58].map(on), 0.22);
    for (const number of [...weights, ...average(weights, VALUES)])
      assert.ok(text.includes(number.toFixed(4).replace('-', '−')), `${number}`);
    assert.ok(text.includes(`${kl.toFixed(3)} nats`));
    const [, named] = text.match(/give these weights: ([^.]*)\./);
    const routes = named.split(/,| and /).map((name) => name.trim().replace(/^the /, ''));
    assert.deepEqual(routes, ROUTES);
    assert.match(text, /statements to check/);
    assert.doesNotMatch(text, /loading|Theme|click/);
    for (const figure of ['#one-look-panel', '#many-heads-panel', '#distance-panel'])
      assert.equal((await page.locator(figure).boundingBox()).height, 0);
    await page.close();
  });

  test('opened as a file says that it needs a server, and which', async () => {
    const page = await browser.newPage();
    const refused = [];
    page.on(
      'console',
      (message) => /Content Security Policy/.test(message.text()) && refused.push(message.text()),
    );
    await page.goto(new URL('../../web/index.html', import.meta.url).href);
    assert.match(await page.innerText('#failure'), /opened as a file.*needs a server.*npm start/);
    await page.waitForFunction(() => !document.querySelector('#badge').checkVisibility());
    assert.doesNotMatch(await page.innerText('body'), /loading|Theme|click/);
    assert.deepEqual(refused, []);
    await shoot(page, 'file');
    await page.close();
  });

  test('the theme is remembered, and repaints the maps', async () => {
    await reopen(page, site);
    const paper = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const pixel = () =>
      page.$eval('.circle canvas', (canvas) => [
        ...canvas.getContext('2d').getImageData(2, canvas.height - 9, 1, 1).data,
      ]);
    assert.equal(await paper(), 'rgb(252, 251, 248)');
    const [light] = await pixel();
    await page.getByLabel('dark').check();
    assert.equal(await paper(), 'rgb(20, 22, 27)');
    assert.ok(light > 200 && (await pixel())[0] < 60, 'zero is the paper in either theme');
    await page.reload();
    await everything(page);
    assert.equal(await paper(), 'rgb(20, 22, 27)');
    await page.getByLabel('auto').check();
    assert.equal(await paper(), 'rgb(252, 251, 248)');
  });
});
