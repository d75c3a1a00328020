/** A look of the live model, taken apart in the panel of distances. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { MODEL_FILE } from '../../support/web/letters.js';
import { missing, served } from '../site.js';
import { singlePanel, verdictOf } from './page.js';

/** In the page: the bars of key j, by the library and with plain sums. */
async function expected({ file, key }) {
  const { init, loadModel, PROMPT, mostTelling, Story } = await import('./bundled/library.js');
  const engine = await init({ layers: true, variant: 'simd' });
  const model = await loadModel(new URL(file, document.baseURI), { engine });
  const ids = model.tokenizer.encode(PROMPT);
  const story = new Story(model.config, ids.length);
  for (const id of ids) {
    story.add({ id, text: model.tokenizer.decode([id]) });
    story.record(story.rows, (await model.step(id, { observe: 'weights' })).heads);
  }
  const { head, i } = mostTelling(story);
  const { q, k, weights } = model.row(head.layer, head.head, i);
  const best = weights.indexOf(Math.max(...weights));
  const j = key ?? best;
  const d = q.length;
  const bars = Array.from(q, (x, c) => x * k[j * d + c]);
  model.dispose();
  return { bars, best, weight: weights[j], score: bars.reduce((a, b) => a + b) / Math.sqrt(d) };
}

/** In the page: its numbers. */
const shown = (page) =>
  page.evaluate(() => {
    const why = document.querySelector('.why');
    const numbers = (selector) =>
      [...why.querySelectorAll(selector)].map(({ dataset }) => Number(dataset.value));
    const bars = [...why.querySelectorAll('.why-bar')];
    const [score, weight] = numbers('.look-said strong');
    return {
      channels: bars.map(({ dataset }) => Number(dataset.channel)),
      bars: bars.map(({ dataset }) => Number(dataset.value)),
      score,
      weight,
      sums: numbers('.why-split tr:nth-last-child(-n + 2) td:nth-child(2)'),
      pressed: [...why.querySelectorAll('[aria-pressed="true"]')].map((each) => each.textContent),
    };
  });

describe('why this key', { skip: missing }, () => {
  let browser;
  let site;
  served((started) => ({ browser, site } = started));

  test('shows the products of the model’s own look, for any key, in both orders', async () => {
    const page = await singlePanel(browser, site, 'distance');
    await page.locator('.why[data-of="model"]').waitFor();
    const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-5 * (1 + Math.abs(b)), `${a}, not ${b}`);
    const check = async (key) => {
      const right = await page.evaluate(expected, { file: MODEL_FILE, key });
      const { channels, bars, score, weight, sums } = await shown(page);
      channels.forEach((c, at) => near(bars[at], right.bars[c]));
      assert.deepEqual(
        channels.toSorted((a, b) => a - b),
        right.bars.map((_, c) => c),
      );
      for (const x of [score, ...sums]) near(x, right.score);
      near(weight, right.weight);
      return { ...right, bars };
    };
    const { bars } = await check();
    assert.deepEqual(
      bars,
      bars.toSorted((a, b) => b - a),
      'by size',
    );
    // the keys are one tab stop
    const keys = page.locator('.why-keys button');
    assert.equal(await page.locator('.why-keys button[tabindex="0"]').count(), 1);
    await keys.first().focus();
    for (const key of ['End', 'ArrowLeft', 'Enter']) await page.keyboard.press(key);
    await becomes(() => page.evaluate(() => location.hash), /whyKey=\d+/);
    const key = Number(/whyKey=(\d+)/.exec(await page.evaluate(() => location.hash))[1]);
    await check(key);
    assert.equal((await shown(page)).pressed.length, 1);
    await page.locator('.why').getByText('in their order').click();
    await becomes(
      async () => (await shown(page)).channels,
      bars.map((_, c) => c),
    );
    for (const name of ['why-sum', 'why-split']) assert.equal(await verdictOf(page, name), 'holds');
    await page.locator('#distance .tools button', { hasText: 'reset' }).click();
    await becomes(() => page.evaluate(() => location.hash), '#distance');
    await becomes(async () => (await shown(page)).bars, bars);
    await page.close();
  });

  test('has drawn numbers where no model comes, and says so', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
    await page.route('**/*.gguf', (route) => route.abort());
    await page.goto(`${site.url}?embed=distance`);
    await page.locator('#distance[data-panel="ready"]').waitFor({ timeout: 60000 });
    assert.match(await page.textContent('.why'), /These numbers are random/);
    assert.equal((await shown(page)).bars.length, 64);
    await page.close();
  });
});
