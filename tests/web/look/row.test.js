/**
 * The row that a reader locks, in every panel that names it: its words have its weights, and not
 * those of an example.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { drawn as framed, openLook, PANEL, shown } from './page.js';
import { drawn, everything, launch, missing, serve } from '../site.js';

/** How many keys each panel shows at most. */
const MAX_KEYS = { 'one-look': 6, 'cold-hot': Infinity, trust: 6, commitment: 6, compromise: 6 };

/** Whose temperature a figure has. */
const OWN_T = /T is that of the row, and “One look” has another one/;

/** The temperatures that figures begin and end at, where these are not 0 and ∞. */
const LIMITS = { trust: [0.1, 20], compromise: [0.05, 20] };

/** The words and weights of each panel, by its id, and the line that names the row. */
const panels = (page) =>
  page.evaluate(() => {
    const all = (selector) =>
      [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
    const values = (selector) => all(selector).map(({ dataset }) => Number(dataset.value));
    const texts = (selector) => all(selector).map(({ textContent }) => textContent);
    const crumb = (id) => document.querySelector(`#${id} .crumb`).textContent;
    const top = document.querySelector('[data-statement="C16"]').dataset.top.split(' ').map(Number);
    document.querySelector('#one-look details.more').open = true;
    return Object.entries({
      'one-look': [
        texts('#one-look .routes th[scope=row]'),
        values('#one-look td[data-route="softmax"]'),
      ],
      'cold-hot': [texts('.cold-word'), values('.cold-bar')],
      trust: [texts('#trust svg .word'), values('#trust svg .strong[data-value]')],
      commitment: [texts('#commitment dt'), values('#commitment dl [data-value]')],
      compromise: [undefined, top],
    }).map(([id, [words, weights]]) => ({ id, words, weights, crumb: crumb(id) }));
  });

/** The best keys of the row on show in the text, made to add up to 1, by rank of weight. */
async function best(page, maxKeys) {
  const { weights } = await shown(page);
  const words = await page.$$eval(`${PANEL} .token`, (tokens) =>
    tokens.map(({ textContent }, j) => textContent.trim() || (j ? `key ${j}` : 'start')),
  );
  const places = weights
    .map((_, j) => j)
    .filter((j) => weights[j] > 0)
    .sort((a, b) => weights[b] - weights[a])
    .slice(0, maxKeys);
  const sum = places.reduce((total, j) => total + weights[j], 0);
  return { words: new Map(places.map((j) => [words[j], weights[j] / sum])), n: places.length };
}

describe('the row in the panels', { skip: missing }, () => {
  let browser;
  let site;
  let page;
  before(async () => {
    browser = await launch();
    site = await serve({ panels: ['look', ...Object.keys(MAX_KEYS)] });
    ({ page } = await openLook(browser, site, '#look?lookPrompt=abcdefghijklm'));
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  /** Locks a word, and waits until the panels name its row. */
  async function lock(at) {
    await page.locator(`${PANEL} .token`).nth(at).click();
    await page.mouse.move(2, 2);
    await framed(page);
    const word = await page.locator(`${PANEL} .token`).nth(at).textContent();
    await page.waitForFunction(
      (name) => document.querySelector('#one-look .crumb')?.textContent.includes(name),
      `· ‘${word.trim()}’`,
    );
    await everything(page);
    await drawn(page);
  }

  /** @param {string} id @param {number[]} values @param {number[]} expected */
  const same = (id, values, expected) =>
    assert.ok(
      values.length === expected.length &&
        values.every((value, j) => Math.abs(value - expected[j]) < 2e-6),
      `${id}: ${values} and not ${expected}`,
    );

  for (const [name, at, position] of [
    ['as it was trained', 10, 50],
    ['with few keys', 3, 50],
    ['of a cold look', 8, 40],
    ['of a hot look', 9, 90],
  ])
    test(`a row ${name} has its own weights in every panel`, async () => {
      const heat = page.locator(`${PANEL} .look-bar input[type=range] >> nth=0`);
      await heat.fill(String(position));
      await lock(at);
      assert.match(
        await page.textContent('#trust .look-key'),
        /the first number of the word’s value/,
      );
      for (const { id, words, weights, crumb } of await panels(page)) {
        const { words: expected, n } = await best(page, MAX_KEYS[id]);
        assert.match(crumb, /^The row: layer/, id);
        assert.equal(/best of its/.test(crumb), at + 1 > n, `${id}: ${crumb}`);
        assert.equal(/the start have keys, too\./.test(crumb), at + 1 > n, id);
        assert.equal(OWN_T.test(crumb), id !== 'one-look', id);
        const sorted = [...expected.values()].sort((a, b) => b - a);
        const [first, second, ...others] = sorted;
        if (id !== 'compromise')
          same(
            id,
            weights,
            words.map((word) => expected.get(word)),
          );
        else {
          const rest = others.reduce((a, b) => a + b, 0);
          same(id, weights.toSorted(), [first, second, rest].sort());
        }
      }
    });

  for (const [T, at, position] of [
    [0, 7, 0],
    [Infinity, 11, 100],
  ])
    test(`a row at T = ${T} is itself in a panel, or the panel says that it differs`, async () => {
      const heat = page.locator(`${PANEL} .look-bar input[type=range] >> nth=0`);
      await heat.fill(String(position));
      await lock(at);
      const told = await best(page, Infinity);
      for (const { id, words, weights, crumb } of await panels(page)) {
        assert.doesNotMatch(crumb, OWN_T, id);
        if (LIMITS[id]) {
          const [from, to] = LIMITS[id];
          const end =
            T === 0
              ? `T = 0, and this figure begins at ${from}`
              : `T = ∞, and this figure ends at ${to}`;
          assert.ok(
            crumb.includes(`The row has ${end}, so its weights differ.`),
            `${id}: ${crumb}`,
          );
          continue;
        }
        assert.doesNotMatch(crumb, /The row has T/, id);
        const expected = words.map((word) =>
          T === 0 ? (told.words.get(word) ?? 0) : 1 / words.length,
        );
        same(id, weights, expected);
      }
    });

  test('a row that is changed by hand is not called the row, until reset', async () => {
    await page.locator(`${PANEL} .look-bar input[type=range] >> nth=0`).fill('50');
    await lock(8);
    const before = await panels(page);
    for (const [id, control, key] of [
      ['one-look', '.handle.key', 'PageUp'],
      ['cold-hot', 'input[type=range]', 'ArrowRight'],
      ['trust', 'input[type=range]', 'ArrowRight'],
      ['trust', '.handle', 'ArrowUp'],
      ['commitment', 'input[type=range]', 'ArrowRight'],
      ['compromise', 'input[type=range]', 'ArrowRight'],
    ]) {
      const crumb = () => page.textContent(`#${id} .crumb`);
      assert.match(await crumb(), /^The row: /, id);
      await page.locator(`#${id}-panel ${control}`).first().focus();
      await page.keyboard.press(key);
      await drawn(page);
      assert.match(await crumb(), /^Changed by hand from the row: /, `${id} ${control}`);
      await page.locator(`#${id} .tools button`, { hasText: 'reset' }).click();
      await drawn(page);
      assert.deepEqual(await panels(page), before, `${id} ${control}`);
    }
  });

  test('the values of one look are those of the row, and their mean is the output', async () => {
    await lock(10);
    const { cells, shares, reports, note } = await page.evaluate(() => {
      const rowsOf = (table) =>
        [...document.querySelectorAll(`#one-look ${table} tbody tr`)].map((row) => [
          row.querySelector('th').textContent,
          [...row.querySelectorAll('td')].map(({ dataset }) => Number(dataset.value)),
        ]);
      const handles = [...document.querySelectorAll('#trust .handle.value')];
      return {
        cells: rowsOf('.values'),
        shares: rowsOf('.routes').map(([, [softmax]]) => softmax),
        reports: handles.map((each) => [
          /^“(.*)” reports/.exec(each.getAttribute('aria-valuetext'))[1],
          Number(each.getAttribute('aria-valuenow')),
        ]),
        note: document.querySelector('#trust .look-key').textContent,
      };
    });
    const [, output] = cells.pop();
    assert.deepEqual([cells.length, reports.length], [6, 6]);
    // trust has the first number of each value, times a factor that it names
    const factor = Number(/times ([\d.]+)\./.exec(note)[1]);
    const values = new Map(cells);
    for (const [word, report] of reports)
      assert.ok(Math.abs(values.get(word)[0] * factor - report) <= 5.1e-4, word);
    [0, 1].forEach((c) => {
      const mean = cells.reduce((sum, [, value], j) => sum + shares[j] * value[c], 0);
      assert.ok(Math.abs(mean - output[c]) < 1e-14, `${mean} and not ${output[c]}`);
    });
    assert.match(await page.textContent('.mean figcaption'), /first two numbers/);
  });

  test('the text calls made up only the example that a button brings back', async () => {
    await lock(10);
    const button = page.locator('#one-look .crumb button');
    const name = await button.textContent();
    const told = await page.textContent('#one-look .words');
    assert.match(
      told.replace(/\s+/g, ' ').toLowerCase(),
      new RegExp(`${name}, “lily .*”, is made up\\.`),
    );
    await button.click();
    await drawn(page);
    const words = await page.locator('#one-look .routes th[scope=row]').allTextContents();
    assert.deepEqual(words, ['Lily', 'saw', 'a', 'red', 'ball', 'She']);
  });

  test('where a row has too few keys for a figure, its example is called one', async () => {
    await lock(1);
    const found = await panels(page);
    assert.match(found.find(({ id }) => id === 'compromise').crumb, /has 2 keys.* an example\.$/);
    assert.deepEqual(found.find(({ id }) => id === 'one-look').words.length, 2);
  });
});
