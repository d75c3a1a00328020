/**
 * The look in a browser: a random model of the shape of the page's own, whose tokens are letters,
 * takes its place.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { repeats } from '../../support/campaign.js';
import { MODEL_FILE } from '../../support/web/letters.js';
import { calm, drawn, openLook, PANEL, shown, verdictOf } from './page.js';
import { browsers, serve } from '../site.js';

/** In the page: the library with the page’s kernels reads this text, greedily writing on. */
async function library({ prompt, tokens, T, layer, head, at, file }) {
  const { init, loadModel } = await import('./bundled/library.js');
  const model = await loadModel(new URL(file, document.baseURI), {
    engine: await init({ layers: true, variant: 'simd' }),
  });
  model.setTemperature(T);
  const ids = model.tokenizer.encode(prompt);
  for await (const { token } of model.generate(ids, { maxTokens: tokens - ids.length + 1 }))
    if (ids.length < tokens && !model.tokenizer.ends.has(token)) ids.push(token);
  model.cache.clear();
  let stats;
  const bits = [NaN];
  for (const [i, id] of ids.slice(0, at + 1).entries()) {
    const { heads, logits } = model.step(id, { observe: 'stats' });
    stats = heads;
    const sum = logits.reduce((total, z) => total + Math.exp(z), 0);
    if (i < at) bits.push(-Math.log2(Math.exp(logits[ids[i + 1]]) / sum));
  }
  const { weights } = model.row(layer, head, at);
  const n = at + 1;
  const result = {
    text: model.tokenizer.decode(ids),
    weights: Array.from(weights),
    bits,
    sharpness: Array.from(stats.kl, (rho) => Math.min(1, Math.max(0, rho / Math.log(n)))),
  };
  model.dispose();
  return result;
}

/** In the page: until a story was written to its end. It may take less time than a frame. */
const written = (panel) =>
  new Promise((done) => {
    const root = document.querySelector(panel);
    let writes = false;
    new MutationObserver((changes, observer) => {
      writes ||= changes.some(({ oldValue }) => oldValue === 'writing');
      if (!writes || root.dataset.phase !== 'over') return;
      observer.disconnect();
      done();
    }).observe(root, { attributeFilter: ['data-phase'], attributeOldValue: true });
  });

for (const { name, missing, launch } of browsers)
  describe(`the look in ${name}`, { skip: missing }, () => {
    let browser;
    let site;
    let page;
    let problems;
    before(async () => {
      browser = await launch({ types: true });
      site = await serve({ panels: ['look', 'one-look'] });
      ({ page, problems } = await openLook(browser, site, '#look?lookPrompt=once+upon+a+time'));
    });
    after(async () => {
      await browser?.close();
      await site?.close();
      assert.deepEqual(problems, []);
    });
    const press = async (label) => {
      await page.locator(`${PANEL} button`, { hasText: label }).first().click();
      await drawn(page);
      await calm(page);
      await drawn(page);
    };
    const heat = async (position) => {
      await page.locator(`${PANEL} .look-bar input[type=range] >> nth=0`).fill(String(position));
      await drawn(page);
      await calm(page);
      await drawn(page);
    };

    test('text, row, largest weight and board are those of the library', async () => {
      for (let step = 0; step < 6; step++) await press('One step more');
      const found = await shown(page);
      const expected = await page.evaluate(library, {
        prompt: 'once upon a time',
        tokens: found.weights.length,
        T: 1,
        file: MODEL_FILE,
        ...found,
      });
      assert.equal(found.text, expected.text);
      assert.equal(found.at, found.weights.length - 1);
      assert.deepEqual(found.weights, expected.weights);
      assert.equal(found.largest, Math.max(...expected.weights));
      assert.equal(found.board.length, 32);
      found.board.forEach((value, at) =>
        assert.ok(Math.abs(value - expected.sharpness[at]) < 1e-6, `${value} of head ${at}`),
      );
    });

    test('a switch underlines words by their surprise, which is that of the library', async () => {
      const { at, text, surprise, ...found } = await shown(page);
      const lines = () =>
        page.$$eval(`${PANEL} .token`, (tokens) =>
          tokens.map((token) => ({
            bits: Number(token.dataset.bits ?? NaN),
            line: parseFloat(getComputedStyle(token.querySelector('b') ?? token).borderBottomWidth),
          })),
        );
      assert.ok((await lines()).every(({ line }) => line === 0));
      const expected = await page.evaluate(library, {
        prompt: 'once upon a time',
        tokens: found.weights.length,
        T: 1,
        file: MODEL_FILE,
        at,
        ...found,
      });
      assert.equal(text, expected.text);
      const { bits } = expected;
      const same = (told, i) => assert.ok(Math.abs(told - bits[i]) < 1e-9, `${told} of word ${i}`);
      same(surprise[1], at);
      assert.ok(Math.abs(surprise[0] - 2 ** -bits[at]) < 1e-9);
      assert.equal(await verdictOf(page, 'look-surprise'), 'holds');
      await page.getByLabel('underline surprising words').press('Space');
      await drawn(page);
      const drawnLines = await lines();
      assert.equal(drawnLines.length, bits.length);
      drawnLines.slice(1).forEach((told, at) => same(told.bits, at + 1));
      const ordered = drawnLines.slice(1).sort((a, b) => a.bits - b.bits);
      assert.ok(ordered[0].line < ordered.at(-1).line);
      assert.ok(ordered.every(({ line }, i) => i === 0 || line >= ordered[i - 1].line));
      assert.match(
        await page.getAttribute(`${PANEL} .look-text`, 'aria-valuetext'),
        /the looks gave ‘.+’ .*a chance of .+\.$/,
      );
      await page.waitForFunction(() => location.hash.includes('lookBits=1'));
      await page.getByLabel('underline surprising words').uncheck();
      await drawn(page);
      assert.ok((await lines()).every(({ line }) => line === 0));
    });

    test('a click locks a word for all panels, and one more lets go', async () => {
      await page.locator(`${PANEL} .token`).nth(5).click();
      await page.mouse.move(2, 2);
      await drawn(page);
      const { at, layer, head } = await shown(page);
      assert.equal(at, 5);
      const crumb = page.locator('.crumb:not([hidden])').first();
      await crumb.waitFor({ state: 'attached', timeout: 30000 });
      assert.match(await crumb.textContent(), new RegExp(`layer ${layer}, head ${head} · `));
      await page.locator(`${PANEL} .token`).nth(5).click();
      await page.mouse.move(2, 2);
      await drawn(page);
      assert.equal((await shown(page)).at, (await shown(page)).weights.length - 1);
    });

    test('keys go from word to word and from head to head, and the lock is spoken', async () => {
      // a mouse that rests on a word would point at it when the page scrolls
      await page.mouse.move(0, 0);
      const text = page.locator(`${PANEL} .look-text`);
      const before = await shown(page);
      await text.focus();
      await page.keyboard.press('Home');
      for (let step = 0; step < 3; step++) {
        await page.keyboard.press('ArrowRight');
        await drawn(page);
      }
      assert.equal((await shown(page)).at, 3);
      assert.equal(await text.getAttribute('aria-valuetext'), (await shown(page)).said);
      await page.keyboard.press('Enter');
      await page.waitForFunction(() =>
        [...document.querySelectorAll('[aria-live]')].some(({ textContent }) =>
          textContent.startsWith('Locked. At '),
        ),
      );
      await page.keyboard.press('Escape');
      await drawn(page);
      assert.equal((await shown(page)).at, before.at);
      await page.keyboard.press('Home');
      await drawn(page);
      assert.equal((await shown(page)).at, 0);
      await page.locator(`${PANEL} .look-map.chosen`).focus();
      await drawn(page);
      assert.equal((await shown(page)).at, before.at, 'the text has lost the focus');
      await page.keyboard.press('Home');
      await drawn(page);
      // both before the next frame
      await page.evaluate(() => {
        for (const key of ['ArrowDown', 'ArrowRight']) {
          const pressed = new KeyboardEvent('keydown', { key, bubbles: true });
          document.activeElement.dispatchEvent(pressed);
        }
      });
      await drawn(page);
      const { layer, head } = await shown(page);
      assert.deepEqual([layer, head], [1, 1]);
      const stops = await page.$$eval(`${PANEL} .look-map`, (maps) =>
        maps.filter(({ tabIndex }) => tabIndex === 0).map((map) => map === document.activeElement),
      );
      assert.deepEqual(stops, [true]);
    });

    test('T = 0 takes one word, T = ∞ all alike, and 1 is as before', async () => {
      const before = await shown(page);
      await heat(0);
      const cold = await shown(page);
      assert.deepEqual([...new Set(cold.weights)].sort(), [0, 1]);
      assert.equal(cold.weights.filter((p) => p === 1).length, 1);
      await heat(100);
      const hot = await shown(page);
      assert.deepEqual([...new Set(hot.weights)], [Math.fround(1 / hot.weights.length)]);
      await heat(50);
      assert.deepEqual(await shown(page), before);
    });

    test('without the start of the text the others add up to one', async () => {
      await page.getByLabel('leave out the start of the text').check();
      await drawn(page);
      const { weights } = await shown(page);
      await page.getByLabel('leave out the start of the text').uncheck();
      assert.equal(weights[0], 0);
      assert.ok(Math.abs(weights.reduce((sum, p) => sum + p, 0) - 1) < 1e-9);
    });

    test('a story that is written again and again takes no more elements', async () => {
      await page.getByLabel('as fast as it can').check();
      const counts = [];
      for (let story = 0; story < repeats(2, 3); story++) {
        const over = page.evaluate(written, PANEL);
        await page.locator(`${PANEL} button.primary`).click();
        await over;
        await drawn(page);
        counts.push(await page.evaluate(() => document.querySelectorAll('*').length));
      }
      await page.getByLabel('as fast as it can').uncheck();
      assert.equal(new Set(counts).size, 1, counts.join(', '));
    });

    test('reset makes it write slowly again', async () => {
      const fast = page.getByLabel('as fast as it can');
      await fast.check();
      await page.locator('#look .tools button', { hasText: 'reset' }).click();
      assert.equal(await fast.isChecked(), false);
    });
  });
