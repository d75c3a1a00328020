/** Cold and hot, and the lab, each alone in the page. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { startAndStop } from '../../support/web/start-and-stop.js';
import { dropped, insideOf, pushedStory, told } from './in-the-page.js';
import { letters, MODEL_FILE } from '../../support/web/letters.js';
import { missing, served } from '../site.js';
import { giveFiles, holds, showPanel, tallTab, verdictOf } from './page.js';

describe('panels with a model', { skip: missing }, () => {
  let browser;
  let site;
  let page;
  served(async (started) => {
    ({ browser, site } = started);
    page = await tallTab(browser);
  });

  const openPanel = (id) => showPanel(page, site, id);
  const library = (how) =>
    page.evaluate(told, { T: 1, interventions: [], count: 40, file: MODEL_FILE, ...how });

  test('stories at T = 0 and ∞ are those of the library, and bars end exactly', async () => {
    await openPanel('cold-hot');
    await page.locator('.cold-story[data-t="Infinity"][data-told]').waitFor();
    for (const T of [0, Infinity])
      assert.equal(
        await page.locator(`.cold-story[data-t="${T}"] .cold-text`).textContent(),
        await library({ T }),
      );
    for (const [position, distinct] of [
      [0, 2],
      [100, 1],
    ]) {
      await page.locator('#cold-hot input[type=range]').fill(String(position));
      await page.locator(`#cold-hot-panel[data-t="${position ? Infinity : 0}"]`).waitFor();
      const bars = await page.$$eval('.cold-bar', (all) => all.map(({ dataset }) => dataset.value));
      assert.equal(new Set(bars).size, distinct);
      assert.equal(await verdictOf(page, 'cold-row'), 'holds');
    }
  });

  test('the story without a head is that of the library, and each head can be tried', async () => {
    await openPanel('lab');
    await page.locator('#lab-panel[data-told="true"]').waitFor();
    await page.locator('.lab-head', { hasText: '2.5' }).click();
    await holds(page, 'lab-same');
    const stories = await page.locator('.lab-story').allTextContents();
    const prompts = await page.locator('.lab-story .cold-prompt').allTextContents();
    const [whole, without] = stories.map((story, at) => story.slice(prompts[at].length));
    assert.equal(whole, await library({}));
    const interventions = [{ layer: 2, head: 5, gain: 0 }];
    assert.equal(without, await library({ interventions }));
    await page.locator('.lab-head', { hasText: '2.5' }).click();
    await page.locator('.lab-words button').nth(2).click();
    const knockOut = [0, 1, 2, 3].map((layer) => ({ layer, knockOut: { keys: [2] } }));
    const hidden = await library({ interventions: knockOut });
    const story = page.locator('.lab-story').nth(1);
    await page.waitForFunction(
      ([text, from]) => document.querySelectorAll('.lab-story')[1].textContent.slice(from) === text,
      [hidden, prompts[1].length],
    );
    assert.equal((await story.textContent()).slice(prompts[1].length), hidden);
    const status = () => page.locator('#lab .look-status[role=status]').textContent();
    await page.evaluate(startAndStop, {
      panel: '#lab-panel',
      start: 'Take each head away in turn',
      when: ['.look-status[role=status]', '^3 of 32 heads tried$'],
    });
    assert.match(await becomes(status, /^Stopped/), /^Stopped: [34] of 32 heads tried\.$/);
    await page.getByRole('button', { name: 'Take each head away in turn' }).click();
    await becomes(status, /^Head \d\.\d matters most here\./);
    // the count is drawn in a later frame
    await becomes(() => page.getAttribute('#lab-panel', 'data-tried'), '32');
  });

  test('the lab says what it waits for, and which settings its model does not have', async () => {
    const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
    let go;
    const released = new Promise((resolve) => (go = resolve));
    await page.route('**/*.gguf', async (route) => {
      await released;
      await route.continue();
    });
    const fragment = '#lab?v=1&labHeads=9.9_1.2&labHidden=99&labWord=900&model=mine.gguf';
    await page.goto(`${site.url}?embed=lab${fragment}`);
    const tick = () => page.textContent('#lab .tick');
    await becomes(tick, '… loading');
    assert.match(await page.textContent('#lab .look-said'), /^(Loading the model|loading)/);
    assert.ok(await page.getByRole('button', { name: 'Take each head away in turn' }).isDisabled());
    go();
    // the panel starts without scrolling, in a small frame too
    await page.locator('#lab-panel[data-told="true"]').waitFor({ timeout: 120000 });
    await becomes(tick, /^✓ these numbers pass 3 /);
    const notice = await page.textContent('#notice p');
    assert.match(notice, /it is of the model “mine\.gguf”, and this is “stories”/);
    assert.match(notice, /The lab has no head 9\.9, no prompt word 99, no story word 900\.$/);
    await becomes(() => page.evaluate(() => location.hash), '#lab?v=1&labHeads=1.2');
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'the whole page' }).click(),
    ]);
    assert.equal(opened.url(), `${site.url}#lab?v=1&labHeads=1.2`);
    await Promise.all([opened.close(), page.close()]);
  });

  test('the lab opens a file that is dropped on its words, and leaves it again', async () => {
    await openPanel('lab');
    await page.evaluate(() => {
      navigator.clipboard.writeText = (text) => Promise.resolve(void (window.copied = text));
    });
    const line = page.locator('.lab-model');
    assert.deepEqual(await page.evaluate(dropped, { name: 'x.bin' }), [true, true]);
    await becomes(() => line.textContent(), /^x\.bin is no model\./);
    assert.ok((await line.boundingBox()).y < 1600);
    await page.evaluate(dropped, { name: 'mine.gguf', file: MODEL_FILE });
    await becomes(() => line.textContent(), /^mine\.gguf: 4 layers of 8 heads/);
    await becomes(() => page.evaluate(() => location.hash), /model=mine\.gguf/);
    const code = page.locator('#lab .tools button', { hasText: 'copy as JavaScript' });
    await code.dispatchEvent('click');
    assert.match(
      await page.evaluate(() => window.copied),
      /your own file, beside this one\n.*"mine\.gguf"/,
    );
    const field = page.getByLabel('It begins');
    await field.fill('and she took');
    await field.press('Enter');
    await becomes(() => page.locator('.cold-prompt').first().textContent(), 'and she took');
    await page.locator('.lab-story.cut').first().waitFor();
    await page.getByRole('button', { name: 'back to the page’s model' }).click();
    await becomes(
      () => page.evaluate(() => location.hash),
      /^#lab\?v=1&labPrompt=and%20she%20took$/,
    );
    assert.equal(await line.isVisible(), false);
  });

  test('chances, bars and pushes of the lab are those of the library, word by word', async () => {
    await openPanel('lab');
    const root = page.locator('#lab-panel');
    await root.and(page.locator('[data-told="true"]')).waitFor();
    // the words are one tab stop
    const stops = page.locator('#lab .lab-story button[tabindex="0"]');
    assert.equal(await stops.count(), 2, 'of each story');
    await stops.first().focus();
    for (const key of ['Home', 'ArrowRight', 'ArrowDown', 'ArrowLeft', 'Enter'])
      await page.keyboard.press(key);
    await page.locator('#lab .lab-story button[aria-pressed="true"]').nth(0).waitFor();
    await page.waitForFunction(() => /labWord=1\b/.test(location.hash));
    for (const pair of [true, false]) {
      if (!pair) await page.getByText('alone', { exact: true }).click();
      const expected = await page.evaluate(insideOf, { file: MODEL_FILE, at: 1, pair });
      const lens = page.locator('.lab-lens [data-value]');
      await page.waitForFunction(
        ([value]) =>
          Number(document.querySelector('.lab-ledger [data-value]').dataset.value) === value,
        expected.parts,
      );
      const values = (of) =>
        of.evaluateAll((all) => all.map(({ dataset }) => Number(dataset.value)));
      assert.deepEqual(await values(lens), expected.chances);
      assert.deepEqual(await values(page.locator('.lab-ledger [data-value]')), expected.parts);
    }
    assert.equal(await verdictOf(page, 'lab-lens'), 'holds');
    assert.equal(await verdictOf(page, 'lab-ledger'), 'holds');
    await page.getByLabel('Strength', { exact: true }).fill('0.5');
    await holds(page, 'lab-push');
    assert.equal(await verdictOf(page, 'lab-ledger'), 'holds');
    assert.match(await page.locator('.lab-ledger').textContent(), /your push/);
    const { story, from } = await page.evaluate(() => {
      const after = document.querySelectorAll('.lab-story')[1];
      return { story: after.textContent, from: after.firstChild.textContent.length };
    });
    assert.equal(story.slice(from), await page.evaluate(pushedStory, { file: MODEL_FILE }));
  });

  test('the look is back after the lab had the model before it', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(120000);
    let arrive;
    const late = new Promise((resolve) => (arrive = resolve));
    await page.route(`**/${MODEL_FILE}`, async (route) => {
      await late;
      await route.continue();
    });
    await page.goto(site.url);
    await page.locator('#look[data-panel="ready"]').waitFor();
    await page.locator('nav a[href="#lab"]').click();
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.locator('#lab[data-panel="ready"]').waitFor();
    arrive();
    await page.locator('#lab-panel[data-told="true"]').waitFor();
    await page.locator('#look-title').scrollIntoViewIfNeeded();
    await page.locator('#look-panel[data-phase="writing"] .look-map').first().waitFor();
    await page.close();
  });

  test('a file that is no model is refused by name, and a model is opened', async () => {
    await openPanel('lab');
    await page.locator('#lab-panel[data-told="true"]').waitFor();
    const status = page.locator('.lab-model [role=status]');
    for (const [files, message] of [
      [[['cat.png', 'x']], /^cat\.png is no model\. Give a GGUF file/],
      [[['a.safetensors', 'x']], /^Beside safetensors a model needs config\.json/],
      [
        [
          ['a.gguf', 'x'],
          ['b.gguf', 'x'],
        ],
        /^These are several GGUF files/,
      ],
      [[['a.gguf', 'no model']], /^a\.gguf was not opened\. ./],
      [[['own.gguf', letters()]], /^own\.gguf: 4 layers of 8 heads, [\d,]+ parameters\.$/],
    ]) {
      await giveFiles(page.locator('#lab-file'), files);
      await status.filter({ hasText: message }).waitFor();
    }
  });
});
