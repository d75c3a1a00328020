/** The lab shows no number of other settings, and no setting that its model does not have. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { missing, served } from '../site.js';

/** In the page, before its scripts: `stopped` keeps messages to workers back until `release`. */
function holdable() {
  const { postMessage } = Worker.prototype;
  const kept = [];
  Worker.prototype.postMessage = function (...message) {
    if (window.stopped) kept.push([this, message]);
    else postMessage.apply(this, message);
  };
  window.release = () => {
    window.stopped = false;
    for (const [worker, message] of kept.splice(0)) postMessage.apply(worker, message);
  };
}

/** In the page: everything that the lab says of its numbers. */
function shown() {
  const root = document.querySelector('#lab-panel');
  const busy = (of) => root.querySelector(of).getAttribute('aria-busy');
  return {
    said: root.querySelector('.look-side .look-said').textContent,
    chance: Number(root.querySelector('.look-side [data-value]')?.dataset.value),
    busy: ['.lab-told', '.lab-why'].map(busy),
    grey: [...root.querySelectorAll('.old')].map(({ classList }) => classList[0]),
    told: root.dataset.told,
    tick: document.querySelector('#lab .tick').textContent,
    verdicts: [...root.querySelectorAll('[data-verdict]')].map(({ dataset }) => dataset.verdict),
  };
}

const WAITING = {
  said: 'Writing the story …',
  chance: NaN,
  busy: ['true', 'true'],
  grey: ['lab-first', 'lab-told', 'lab-why'],
  told: 'false',
  tick: '… checking',
  verdicts: ['waiting', 'waiting', 'waiting', 'waiting', 'waiting'],
};

describe('the lab while it computes', { skip: missing }, () => {
  let browser;
  let site;
  let page;
  served((started) => ({ browser, site } = started), undefined, { panels: ['lab'] });
  before(async () => {
    page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
    page.setDefaultTimeout(120000);
    await page.addInitScript(holdable);
    await page.goto(`${site.url}?depth=doubt#lab`);
    await page.locator('#lab-panel[data-told="true"]').waitFor();
    await ready();
  });

  const now = () => page.evaluate(shown);
  /** A verdict may be there a frame before its picture. */
  const ready = () =>
    becomes(async () => [/^✓/.test((await now()).tick), (await now()).grey], [true, []]);
  const hold = () => page.evaluate(() => void (window.stopped = true));
  const release = () => page.evaluate(() => window.release());
  const press = (name) => page.locator('.lab-head', { hasText: name }).click();

  for (const [what, act] of [
    ['a head is taken away', () => press('2.5')],
    ['words are hidden', () => page.locator('.lab-words button').nth(2).click()],
    ['the model is pushed', () => page.getByLabel('Strength', { exact: true }).fill('0.5')],
    [
      'another prompt is typed',
      async () => {
        await page.getByLabel('It begins').fill('and she took');
        await page.getByLabel('It begins').press('Enter');
      },
    ],
    ['all is as it was', () => page.getByRole('button', { name: 'As it was' }).click()],
  ])
    test(`no number is there when ${what}, until it is measured`, async () => {
      const earlier = await now();
      assert.deepEqual([earlier.busy, earlier.grey], [['false', 'false'], []]);
      await hold();
      await act();
      await becomes(now, WAITING);
      await release();
      await ready();
      const later = await now();
      assert.notEqual(later.said, earlier.said);
      assert.ok(later.chance > 0);
      assert.deepEqual([later.busy, later.grey, later.told], [['false', 'false'], [], 'true']);
    });

  test('settings that come back have the verdicts that they had', async () => {
    const strength = page.getByLabel('Strength', { exact: true });
    const { verdicts } = await now();
    await hold();
    for (const value of ['0.1', '0.2', '0']) {
      await strength.fill(value);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    await release();
    await ready();
    assert.deepEqual((await now()).verdicts, verdicts);
  });

  test('another word greys its explanation alone', async () => {
    await hold();
    await page.locator('.lab-story button').nth(5).click();
    await becomes(async () => (await now()).busy, ['false', 'true']);
    assert.ok((await now()).chance > 0);
    await release();
    await ready();
  });

  test('a layer beyond the model becomes its last in field, link and code', async () => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = (text) => Promise.resolve(void (window.copied = text));
    });
    const field = page.getByLabel('Behind layer');
    assert.equal(await field.getAttribute('max'), '3');
    await page.getByLabel('Strength', { exact: true }).fill('0.5');
    await field.fill('0');
    await field.press('Enter');
    await becomes(() => page.evaluate(() => location.hash), /labLayer=0\b/);
    await field.fill('9');
    await field.press('Enter');
    assert.equal(
      await page.textContent('#notice p'),
      'Behind layer is a whole number from 0 to 3, so 9 became 3.',
    );
    assert.equal(await field.inputValue(), '3');
    // a link without the setting means 3
    await becomes(() => page.evaluate(() => location.hash), /^(?!.*labLayer)/);
    await page.locator('#lab .tools button', { hasText: 'copy as JavaScript' }).click();
    const code = await page.evaluate(() => window.copied);
    assert.match(code, /layers: \[3\]/);
    assert.match(code, /\{ layer: 3, at: 'resid_post'/);
    await ready();
  });

  test('a link to a layer beyond the model is told so while the model is there', async () => {
    await page.evaluate(() => void (location.hash = '#lab?v=1&labLayer=9'));
    await becomes(
      () => page.textContent('#notice p'),
      /labLayer = 9 is not a whole number from 0 to 3, so it is 3/,
    );
  });

  for (const [what, name] of [
    ['shuffled weights forget', 'Shuffle the weights'],
    ['reset forgets', 'reset'],
  ])
    test(`${what} the heads that were tried`, async () => {
      const tried = () => page.getAttribute('#lab-panel', 'data-tried');
      await page.getByRole('button', { name: 'Take each head away in turn' }).click();
      await becomes(tried, /^[1-9]/);
      await page.locator('#lab button', { hasText: name }).click();
      await becomes(tried, '0');
      await ready();
      const values = await page.$$eval('.lab-head', (all) =>
        all.map(({ dataset }) => dataset.value),
      );
      assert.deepEqual([...new Set(values)], ['undefined']);
      assert.equal(await page.locator('#lab .look-status[role=status]').textContent(), '');
    });
});
