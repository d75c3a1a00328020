/** The files that a reader saves have the numbers and the pictures on show. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { STATEMENTS } from '../../../src/cli/statement-list.js';
import { headInputs } from '../../../web/math/data.js';
import { load } from '../../../web/page/engine.js';
import { statsOf } from '../../../web/panels/many-heads/saved.js';
import { heads } from '../../../web/panels/many-heads/worker.js';
import { becomes } from '../../support/web/becomes.js';
import { ask } from '../browsers.js';
import { calm, shown } from '../look/page.js';
import { drawn, go, launch, missing, opened } from '../site.js';

const DRAWN = ['one-look', 'trust', 'commitment', 'compromise', 'distance', 'push', 'sharing'];
const PANELS = ['look', 'many-heads', 'speed', 'proofs', ...DRAWN];

/** The cells of a CSV file, by lines. */
function parsed(text) {
  const lines = [[]];
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\n|$)/g,
  )) {
    if (plain === '' && end === '') break;
    lines.at(-1).push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\n') lines.push([]);
  }
  return lines.slice(0, -1);
}

/** In the page: all that a picture looks like, element by element. */
function appearance(picture) {
  const LOOKS = /^(fill|stroke|font-(family|size|style|weight)$|text-anchor|opacity|display|vis)/;
  const MORE = /^(paint-order|letter-spacing|clip-path|mask|marker)/;
  const names = [...getComputedStyle(picture)].filter(
    (name) => LOOKS.test(name) || MORE.test(name),
  );
  return [picture, ...picture.querySelectorAll('*')].map((element) => {
    const style = getComputedStyle(element);
    const looks = names.map((name) => `${name}: ${style.getPropertyValue(name)}`);
    return `${element.localName} ${looks.join('; ')}`;
  });
}

/**
 * In a page: the size of a PNG, the share of its pixels that differ from the first, and the number
 * of its colours. It is a square map of cells by cells, and the colours in their middles are told.
 */
async function painted([base64, cells]) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  const all = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const middle = (at) => Math.floor(((at + 0.5) * width) / cells);
  const middles = Array.from({ length: cells ** 2 }, (_, at) => {
    return all[middle(Math.floor(at / cells)) * width + middle(at % cells)];
  });
  const share = all.reduce((count, each) => count + (each !== all[0]), 0) / all.length;
  return { size: [width, height], share, colours: new Set(all).size, middles };
}

/** The settings of many heads in the beginning. */
const HEADS = {
  ...{ H: 8, G: 4, n: 32, d: 64, T: 1, seed: 7, kind: 'patterns', poison: -1 },
  mask: { causal: true, reach: 256 },
};

describe('the files of the panels', { skip: missing }, () => {
  let page;
  let browser;
  opened((visited) => ({ browser, page } = visited), launch, { panels: PANELS });

  /** The bytes of the file that a button under a panel saves. */
  async function saved(id, kind) {
    const tools = page.locator(`#${id} .tools`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      tools.getByRole('button', { name: kind.toUpperCase(), exact: true }).click(),
    ]);
    assert.equal(download.suggestedFilename(), `clearhead-${id}.${kind}`);
    return buffer(await download.createReadStream());
  }
  const json = async (id) => JSON.parse(await saved(id, 'json'));

  test('a table has the weights of all heads to the last bit, without masked cells', async () => {
    const shape = { seed: 7, H: 4, G: 2, n: 9, d: 8, kind: 'normal' };
    await go(page, '#H=4&G=2&n=9&d=8&src=normal&T=0.02&w=3');
    const [names, ...lines] = parsed(String(await saved('many-heads', 'csv')));
    assert.equal(names.join(), 'head,query,key,weight,length of the value,weight × length');
    const { q, k, v } = headInputs(shape);
    const options = { heads: 4, kvHeads: 2, headDim: 8, temperature: 0.02, causal: true };
    const how = { ...options, window: [3, 3], want: { weights: true } };
    const { weights } = await ask(page, 'attention', [q, k, v], how);
    const cells = [...weights.keys()]
      .map((at) => [Math.floor(at / 81), Math.floor(at / 9) % 9, at % 9, weights[at]])
      .filter(([, i, j]) => j <= i && i - j <= 3);
    assert.equal(lines.length, cells.length);
    lines.forEach((line, at) => {
      const [h, i, j, weight, length, product] = line.map(Number);
      assert.deepEqual([h, i, j, weight], cells[at]);
      const from = (Math.floor(h / 2) * 9 + j) * 8;
      const expected = Math.hypot(...v.subarray(from, from + 8));
      assert.ok(Math.abs(length - expected) <= 1e-14 * expected);
      assert.equal(product, weight * length);
    });
    await go(page, '#');
  });

  test('a table has the rows of the story’s head to the last bit, with its words', async () => {
    await calm(page);
    const [, ...lines] = parsed(String(await saved('look', 'csv')));
    const { text, weights, at } = await shown(page);
    assert.equal(lines.length, ((at + 1) * (at + 2)) / 2);
    const row = lines.filter(([i]) => Number(i) === at);
    assert.deepEqual(
      row.map((line) => Number(line.at(-1))),
      weights,
    );
    assert.equal(row.map((line) => line[3]).join(''), text);
  });

  test('numbers as JSON are those on show', async () => {
    await go(page, '#one-look?heroT=0.5&heroK=10_20_30_40_50_60');
    const told = await json('one-look');
    assert.equal(told.panel, 'one-look');
    assert.match(told.link, /#one-look\?v=1&/);
    assert.equal(told.link, page.url());
    assert.deepEqual([told.settings.T, told.settings.k], [0.5, [10, 20, 30, 40, 50, 60]]);
    const cells = await page.$$eval('td[data-route="softmax"]', (all) =>
      all.map(({ dataset }) => Number(dataset.value)),
    );
    assert.deepEqual(told.shown.routes[0], cells);
    await go(page, '#one-look?heroT=Infinity');
    assert.equal((await json('one-look')).settings.T, 'Infinity', 'JSON has no infinity');
    await go(page, '#');
    const { rho, checksum } = (await json('many-heads')).shown;
    const here = statsOf(heads(await load(), HEADS));
    assert.equal(checksum, here.checksum, 'the bits are those of Node');
    assert.notEqual(checksum, statsOf(heads(await load(), { ...HEADS, T: 1.001 })).checksum);
    const captions = await page.$$eval('.head figcaption', (all) =>
      all.map(({ dataset }) => Number(dataset.rho)),
    );
    assert.deepEqual(rho, captions);
    for (const id of PANELS.filter((each) => each !== 'proofs')) {
      const { panel, shown } = await json(id);
      assert.equal(panel, id);
      assert.ok(Object.keys(shown).length, `${id} tells its numbers`);
    }
  });

  test('the proof sheet as JSON has each statement, its comparison and its verdict', async () => {
    const { statements, seed, kernels, environment, browser, randomStates } = await json('proofs');
    assert.deepEqual([seed, kernels], [1, 'simd']);
    assert.match(environment, /^wasm code with SIMD, one thread/);
    assert.match(browser, /Chrome/);
    assert.deepEqual(randomStates, { states: 0, verdicts: 0, violated: [] });
    const rows = await page.$$eval('[data-proof]', (all) => all.map(({ dataset }) => dataset));
    assert.equal(statements.length, STATEMENTS.length);
    statements.forEach(({ worst, holds, parts, ...statement }, at) => {
      for (const [name, value] of Object.entries(STATEMENTS[at]))
        assert.deepEqual(statement[name], value);
      assert.equal(holds, true);
      assert.ok(parts.length > 0);
      for (const name of ['left', 'right', 'measured', 'allowed', 'ratio'])
        assert.equal(worst[name], Number(rows[at][name]), `${name} of ${statement.number}`);
    });
  });

  test('other numbers of the proof sheet have their seed in the address', async () => {
    await page.getByRole('button', { name: 'check once, with new numbers' }).click();
    await becomes(() => page.evaluate(() => location.hash), '#proofs?v=1&proofSeed=2');
    await drawn(page);
    assert.equal((await json('proofs')).seed, 2);
    await go(page, '#proofs?proofSeed=7');
    assert.equal((await json('proofs')).seed, 7);
    await go(page, '#');
  });

  test('a table of all ways has the number of words, and how they differ', async () => {
    const [names, ...lines] = parsed(String(await saved('speed', 'csv')));
    assert.deepEqual(names, ['way', 'words', 'milliseconds', 'largest difference']);
    for (const [at, [, words, milliseconds, difference]] of lines.entries()) {
      assert.match(`${words}, ${milliseconds}`, at < 3 ? /^512, $/ : /^2048, [\d.]*$/);
      assert.match(difference, /^\d\.\de−\d+$/);
    }
  });

  for (const [colorScheme, ids] of [
    ['light', DRAWN],
    ['dark', ['commitment']],
  ])
    test(`a picture as SVG looks as in the page, on its paper, ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme });
      await drawn(page);
      const other = await browser.newPage({ colorScheme });
      const behind = await page.evaluate(
        () => getComputedStyle(document.documentElement).backgroundColor,
      );
      for (const id of ids) {
        const file = await saved(id, 'svg');
        await other.goto(`data:image/svg+xml;base64,${file.toString('base64')}`);
        const [frame, paper, ...elements] = await other.$eval('svg', appearance);
        const label = await other.getAttribute('svg', 'aria-label');
        const picture = page.locator(`#${id}-panel svg[aria-label=${JSON.stringify(label)}]`);
        const expected = await picture.evaluate(appearance);
        assert.equal(elements.length + 1, expected.length, id);
        expected.forEach((each, at) => assert.equal([frame, ...elements][at], each, id));
        assert.ok(paper.includes(`fill: ${behind}`), id);
        const { width, height } = await picture.boundingBox();
        const covered = ({ width, height }) => [width.baseVal.value, height.baseVal.value];
        assert.deepEqual(await other.$eval('svg > rect', covered), [width, height], id);
      }
      await other.close();
      await page.emulateMedia({ colorScheme: null });
    });

  test('a picture as PNG has twice its size, with something on its paper', async () => {
    const id = 'commitment';
    const svg = String(await saved(id, 'svg'));
    const size = ['width', 'height'].map((name) =>
      Math.floor(2 * Number(svg.match(`<svg[^>]* ${name}="([^"]*)"`)[1])),
    );
    const png = await saved(id, 'png');
    const found = await page.evaluate(painted, [png.toString('base64'), 1]);
    assert.deepEqual(found.size, size);
    assert.ok(found.share > 0.005 && found.share < 0.9, `a share of ${found.share} is painted`);
    assert.ok(found.colours > 8, `${found.colours} colours`);
  });

  test('a map as PNG has the colours of its cells, and paper where it is masked', async () => {
    const png = await saved('many-heads', 'png');
    const { size, middles } = await page.evaluate(painted, [png.toString('base64'), 32]);
    const { cells, width, paper } = await page.$eval('.pinned canvas', (canvas) => ({
      cells: Array.from(
        new Uint32Array(canvas.getContext('2d').getImageData(0, 0, 32, 32).data.buffer),
      ),
      width: canvas.getBoundingClientRect().width,
      paper: getComputedStyle(document.documentElement).backgroundColor,
    }));
    assert.deepEqual(size, [2 * width, 2 * width]);
    const [r, g, b] = paper.match(/\d+/g).map(Number);
    const blank = ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
    assert.deepEqual(
      middles,
      cells.map((cell) => cell || blank),
    );
  });
});
