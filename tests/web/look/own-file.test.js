/** A reader's own model in the lab: files that come before the page's, or are dropped beside it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { letters, MODEL_FILE } from '../../support/web/letters.js';
import { everything, launch, missing, served } from '../site.js';
import { dropped, told } from './in-the-page.js';
import { drawn, giveFiles, openLook, PANEL, singlePanel } from './page.js';

/** Opens the lab alone. The page's model waits until `arrive` is called. */
async function openLab(browser, site) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
  page.setDefaultTimeout(120000);
  let arrive;
  const late = new Promise((resolve) => (arrive = resolve));
  await page.route(`**/${MODEL_FILE}`, async (route) => {
    await route.fulfill({ status: await late, body: Buffer.from(letters()) });
  });
  await page.goto(`${site.url}?embed=lab`);
  await page.locator('#lab[data-panel="ready"]').waitFor();
  return { page, arrive };
}

describe('a file of the reader’s own', { skip: missing }, () => {
  let browser;
  let site;
  served((started) => ({ browser, site } = started));

  for (const [how, status] of [
    ['arrives', 200],
    ['is not there', 404],
  ])
    test(`opened before the page’s model, it stays when that model ${how}`, async () => {
      const { page, arrive } = await openLab(browser, site);
      await giveFiles(page.locator('#lab-file'), [['mine.gguf', letters()]]);
      const hash = () => page.evaluate(() => location.hash);
      await becomes(hash, /model=mine\.gguf/);
      arrive(status);
      await page.locator('#lab-panel[data-told="true"]').waitFor();
      const line = page.locator('.lab-model');
      await becomes(() => line.textContent(), /^mine\.gguf: 4 layers of 8 heads/);
      assert.match(await hash(), /model=mine\.gguf/);
      assert.ok(await page.getByRole('button', { name: 'back to the page’s model' }).isVisible());
      await page.close();
    });

  test('dropped beside the lab, it changes nothing, and a text is dropped as ever', async () => {
    const page = await singlePanel(browser, site, 'lab');
    const beside = (name) => page.evaluate(dropped, { name, on: 'body' });
    assert.deepEqual(await beside('x.bin'), [true, true]);
    assert.deepEqual(await beside(), [false, false]);
    assert.equal(await page.locator('.lab-model').isVisible(), false);
    assert.deepEqual(await page.evaluate(dropped, { name: 'x.bin' }), [true, true]);
    await becomes(() => page.textContent('.lab-model'), /^x\.bin is no model\./);
    await page.close();
  });
});

describe('a file that is opened in the lab', { skip: missing }, () => {
  const file = 'model/another.gguf';
  const panels = ['look', 'cold-hot', 'lab'];
  let page;
  served(
    async ({ browser, site }) => {
      ({ page } = await openLook(browser, site, '#look?lookPrompt=once+upon+a+time'));
      page.setDefaultTimeout(120000);
      await everything(page);
    },
    launch,
    { panels, change: { [`web/${file}`]: () => letters(2) } },
  );
  const line = () => page.textContent('.lab-model [role=status]');

  test('and is no model leaves the look as it was', async () => {
    await giveFiles(page.locator('#lab-file'), [['a.gguf', 'no model']]);
    await becomes(line, /^a\.gguf was not opened\. ./);
    await drawn(page);
    assert.equal(await page.textContent(`${PANEL} .look-status`), '');
    const again = page.locator(PANEL).getByRole('button', { name: 'try again' });
    assert.equal(await again.isVisible(), false);
  });

  test('and is a model tells the four stories anew, under its name', async () => {
    const stories = page.locator('#cold-hot-panel[data-told="true"]');
    const text = () => page.locator('.cold-story[data-t="1"] .cold-text').textContent();
    await page.locator('.cold-stories').scrollIntoViewIfNeeded();
    await stories.waitFor();
    const before = await text();
    await giveFiles(page.locator('#lab-file'), [['mine.gguf', letters(2)]]);
    await becomes(line, /^mine\.gguf: 4 layers of 8 heads/);
    await page.locator('#lab-panel[data-told="true"]').waitFor();
    await page.locator('.cold-stories').scrollIntoViewIfNeeded();
    await becomes(() => page.textContent('.cold-lead'), /The model is mine\.gguf\.$/);
    await stories.waitFor();
    assert.notEqual(await text(), before);
    const how = { T: 1, interventions: [], count: 40, file };
    assert.equal(await text(), await page.evaluate(told, how));
  });
});
