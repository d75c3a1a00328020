/** Words of the changed story are explained as those of the first one are. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { MODEL_FILE } from '../../support/web/letters.js';
import { missing, served } from '../site.js';
import { holds, labPanel, verdictOf } from './page.js';

/** In the page: the library's story without a head, and how it comes to one of its words. */
async function insideOf({ file, layer, head, at }) {
  const { init, loadModel, PROMPT } = await import('./bundled/library.js');
  const engine = await init({ layers: true, variant: 'simd' });
  const model = await loadModel(new URL(file, document.baseURI), { engine });
  model.intervene([{ layer, head, gain: 0 }]);
  const ids = model.tokenizer.encode(PROMPT);
  for await (const { token } of model.generate(ids, { maxTokens: at + 1 })) ids.push(token);
  model.cache.clear();
  await model.prefill(ids.slice(0, -1));
  const { top, probabilities } = await model.lens(ids.length - 2);
  const { layers, vocab } = model.config;
  const token = ids.at(-1);
  const chances = Array.from({ length: layers }, (_, each) => [
    probabilities[each * vocab + token],
    top[each][0].probability,
  ]);
  model.dispose();
  return chances.flat();
}

describe('a word of the changed story', { skip: missing }, () => {
  let browser;
  let site;
  let page;
  served((started) => ({ browser, site } = started), undefined, { panels: ['lab'] });
  before(async () => {
    page = await labPanel(browser, site);
  });
  const lens = () =>
    page.$$eval('.lab-lens [data-value]', (all) => all.map(({ dataset }) => Number(dataset.value)));
  const hash = () => page.evaluate(() => location.hash);
  const changed = () => page.locator('.lab-story').nth(1);

  test('is pressed by keys, explained under the changes, and kept in the link', async () => {
    await page.locator('.lab-head', { hasText: '2.5' }).click();
    await holds(page, 'lab-same');
    await changed().locator('button[tabindex="0"]').focus();
    for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    await becomes(hash, /labWhose=changed&labWord=2\b/);
    const expected = await page.evaluate(insideOf, { file: MODEL_FILE, layer: 2, head: 5, at: 2 });
    await becomes(lens, expected);
    const pressed = page.locator('#lab .lab-story button[aria-pressed="true"]');
    assert.equal(await pressed.count(), 1);
    assert.equal(await changed().locator('button[aria-pressed="true"]').count(), 1);
    assert.ok(
      await pressed.evaluate((each) => each === document.activeElement),
      'it has the focus',
    );
    assert.match(
      await page.textContent('.lab-why .look-key'),
      /^The word is one of the story with/,
    );
    assert.equal(await verdictOf(page, 'lab-lens'), 'holds');
    assert.equal(await verdictOf(page, 'lab-ledger'), 'holds');
  });

  test('gives way to one of the first story, and to reset', async () => {
    await page.locator('.lab-story').first().locator('button').nth(4).click();
    await becomes(hash, /^(?!.*labWhose).*labWord=4\b/);
    await becomes(() => page.textContent('.lab-why .look-key'), /^The word is one of the first/);
    await changed().locator('button').nth(1).click();
    await becomes(hash, /labWhose=changed&labWord=1\b/);
    await page.locator('#lab .tools button', { hasText: 'reset' }).click();
    await becomes(hash, /^(?!.*lab[HW])/);
  });

  test('that a link names, and that is not there, is told', async () => {
    await page.evaluate(() => void (location.hash = '#lab?v=1&labWhose=changed&labWord=900'));
    await becomes(
      () => page.textContent('#notice p'),
      /The lab has no word 900 in the story with the changes\./,
    );
    await becomes(hash, /^(?!.*labW)/);
  });
});
