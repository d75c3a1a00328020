/** The lab shuffles the weights of the live model, and takes them back by the same button. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { letters, MODEL_FILE } from '../../support/web/letters.js';
import { missing, served } from '../site.js';
import { told } from './in-the-page.js';
import { giveFiles, labPanel, verdictOf } from './page.js';

/** In the page: the library’s story under shuffled weights. */
async function shuffledStory({ file, seed }) {
  const { init, loadModel, PROMPT, shuffle } = await import('./bundled/library.js');
  const engine = await init({ layers: true, variant: 'simd' });
  const bytes = new Uint8Array(await (await fetch(file)).arrayBuffer());
  const model = await loadModel((await shuffle(bytes, seed)).bytes, { engine });
  let text = '';
  for await (const token of model.generate(PROMPT, { maxTokens: 40 })) text += token.text;
  model.dispose();
  return text;
}

describe('the shuffled model', { skip: missing }, () => {
  let browser;
  let site;
  served((started) => ({ browser, site } = started), undefined, { panels: ['lab'] });

  /** The second story of the lab, without its beginning. */
  const second = (page) =>
    page.evaluate(() => {
      const story = document.querySelectorAll('.lab-story')[1];
      return story.textContent.slice(story.firstChild?.textContent.length);
    });
  const hash = (page) => page.evaluate(() => location.hash);

  test('tells a story of its own beside the trained one, and goes away again', async () => {
    const page = await labPanel(browser, site);
    const trained = await page.evaluate(told, {
      T: 1,
      interventions: [],
      count: 40,
      file: MODEL_FILE,
    });
    await becomes(() => second(page), trained);
    assert.equal(await verdictOf(page, 'lab-shuffle'), 'none');
    const button = page.locator('.lab-mix button');
    assert.equal(await button.textContent(), 'Shuffle the weights');
    await button.click();
    const mixed = await page.evaluate(shuffledStory, { file: MODEL_FILE, seed: 1 });
    assert.notEqual(mixed, trained);
    await becomes(() => second(page), mixed);
    await becomes(() => verdictOf(page, 'lab-shuffle'), 'holds');
    assert.equal(await verdictOf(page, 'lab-ledger'), 'holds');
    assert.match(await page.textContent('.lab-mix'), /Shuffled with seed 1: 29 matrices with/);
    assert.match(await page.textContent('.look-side .look-said'), /^With its weights shuffled, /);
    await becomes(() => hash(page), '#lab?v=1&labShuffle=1');
    const first = await page.locator('.lab-story').first().textContent();
    assert.ok(first.endsWith(trained), 'the trained story stays beside it');
    assert.equal(await button.textContent(), 'Back to the trained weights');
    await button.click();
    await becomes(() => second(page), trained);
    await becomes(() => verdictOf(page, 'lab-shuffle'), 'none');
    await becomes(() => hash(page), '#lab');
    await page.close();
  });

  test('has the seed of its link, and is not made of a reader’s own file', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
    page.setDefaultTimeout(120000);
    await page.goto(`${site.url}#lab?v=1&labShuffle=1&labSeed=5`);
    await page.locator('#lab-panel[data-told="true"]').waitFor();
    const mixed = await page.evaluate(shuffledStory, { file: MODEL_FILE, seed: 5 });
    await becomes(() => second(page), mixed);
    await giveFiles(page.locator('#lab-file'), [['own.gguf', letters()]]);
    await becomes(
      () => page.textContent('.lab-mix [role=status]'),
      'Only the page’s own model can be shuffled.',
    );
    assert.ok(await page.locator('.lab-mix button').isDisabled());
    await page.close();
  });
});
