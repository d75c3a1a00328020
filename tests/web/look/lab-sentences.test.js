/** The lab says of its numbers which change they belong to, and of which story they are. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { missing, served } from '../site.js';
import { labPanel } from './page.js';

describe('the sentences of the lab', { skip: missing }, () => {
  let browser;
  let site;
  let page;
  served((started) => ({ browser, site } = started), undefined, { panels: ['lab'] });
  before(async () => {
    page = await labPanel(browser, site);
  });

  const said = () => page.locator('.look-side .look-said').textContent();
  const status = () => page.locator('#lab .look-status[role=status]').textContent();
  const hash = () => page.evaluate(() => location.hash);
  const press = (name) => page.locator('.lab-head', { hasText: name }).click();
  const choose = (how) => page.getByRole('radio', { name: new RegExp(`^${how}`) }).check();
  const asItWas = () => page.getByRole('button', { name: 'As it was' }).click();

  test('blind heads are called blind, and “As it was” switches them back to off', async () => {
    await press('2.5');
    await becomes(
      said,
      /^Without this head, the model gives a word of the first story a chance of/,
    );
    await choose('blind');
    await becomes(said, /^With this head blind, /);
    await press('1.2');
    await page.locator('.lab-words button').nth(2).click();
    await becomes(said, /^With these 2 heads blind and without this word, /);
    await becomes(hash, /labHow=blind/);
    await asItWas();
    await becomes(hash, /^(?!.*lab[HP])/);
    await press('2.5');
    await becomes(said, /^Without this head, /);
    await asItWas();
  });

  test('a change that changes nothing is told so', async () => {
    // a push from a text to itself
    for (const name of ['From', 'towards']) await page.getByLabel(name, { exact: true }).fill('a');
    await page.getByLabel('Strength', { exact: true }).fill('0.5');
    await becomes(said, /^With this push, .* a chance of [\d<> ]+\s%, as before, on average\./);
    assert.match(await said(), /The new story is the same: this change does not matter here\.$/);
    await asItWas();
  });

  test('a change of a chance is told, even where the story is the same', async () => {
    const told = (now) =>
      page.evaluate(
        async ([module, chance]) => {
          const { lost } = await import(module);
          const made = { heads: 1, how: 'off', hidden: 0, pushed: false, shuffled: false };
          const parts = lost({ ...made, now: chance, all: 0.8, same: true });
          return parts.map((part) => part.textContent ?? part).join('');
        },
        [new URL('panels/lab/words.js', site.url).href, now],
      );
    const first = 'Without this head, the model gives a word of the first story a chance of ';
    assert.equal(
      await told(0.7),
      `${first}70 % instead of 80 %, on average. The new story is the same.`,
    );
    assert.equal(
      await told(0.8),
      `${first}80 %, as before, on average. ` +
        'The new story is the same: this change does not matter here.',
    );
  });

  test('the explanation says whose word it is while the model is changed', async () => {
    const whose = () => page.locator('.lab-why .look-key').first().textContent();
    await becomes(whose, '');
    await press('2.5');
    await becomes(whose, /one of the first story\. The model with your changes reads/);
    await asItWas();
    await becomes(whose, '');
  });

  test('columns of the ledger have head numbers, and its largest parts their values', async () => {
    const numbers = await page.locator('.lab-ledger .lab-number').allTextContents();
    assert.deepEqual(numbers, ['0', '1', '2', '3', '4', '5', '6', '7']);
    // read at once, since the ledger may be drawn anew meanwhile
    const [parts, told] = await page.evaluate(() =>
      ['.lab-ledger td[data-value]', '.lab-ledger .lab-value'].map((of) =>
        [...document.querySelectorAll(of)]
          .map((one) => Math.abs(one.closest('td').dataset.value))
          .sort((a, b) => b - a),
      ),
    );
    assert.deepEqual(told, parts.slice(0, 3));
    assert.match(await page.locator('.lab-why').textContent(), /A point more makes a word 2\.7/);
  });

  test('a trial names the change that it tried, and goes with it', async () => {
    for (const how of ['blind', 'off']) {
      await choose(how);
      await becomes(status, '');
      await page.getByRole('button', { name: 'Take each head away in turn' }).click();
      await page.locator('#lab-panel[data-tried="32"]').waitFor();
      const names = `With it ${how} and no other change, a word of the first story has `;
      await becomes(status, new RegExp(`^Head \\d\\.\\d matters most here\\. ${names}`));
      const label = await page.locator('.lab-head').first().getAttribute('aria-label');
      assert.match(label, new RegExp(`^Head 0\\.0: with it ${how} a word has \\d`));
    }
  });
});
