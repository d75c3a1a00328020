/** Nothing in a link is passed over in silence. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PANELS } from '../../web/page/panels.js';
import { Store } from '../../web/page/state.js';
import { calm, drawn, loadLook, openLook, PANEL, shown } from './look/page.js';
import { launch, missing, serve } from './site.js';

const LONG = 'x'.repeat(500);
const newStore = () => {
  const store = new Store();
  for (const { id, state = () => ({}) } of PANELS) store.of(id, state);
  return store;
};
const keys = [...newStore().signals.keys()];
const isText = (key) => /^a text /.test(newStore().signals.get(key).range);

test('every setting of a link says so of a value that it cannot have', () => {
  assert.ok(keys.length > 40);
  for (const key of keys)
    for (const value of isText(key) ? ['', LONG] : ['zzz', '1_zzz'])
      assert.ok(
        newStore()
          .read(`#look?v=1&${key}=${value}`)
          .some((notice) => notice.startsWith(`${key} = ${value.slice(0, 40)} is not `)),
        `${key}=${value.slice(0, 20)}`,
      );
});

test('a number beyond its limits is named, and one at a limit is not', () => {
  const numbers = keys.filter((key) =>
    /^a (whole )?number/.test(newStore().signals.get(key).range),
  );
  assert.ok(numbers.length > 20);
  for (const key of numbers) {
    const [low, high] = newStore()
      .signals.get(key)
      .range.match(/from (\S+) to ([^,]+)/)
      .slice(1);
    for (const [value, named] of [
      [low, false],
      [high, false],
      [String(Number(low) - 1), true],
      high !== 'Infinity' && [String(Number(high) + 1), true],
    ].filter(Boolean)) {
      const notices = newStore().read(`#?v=1&${key}=${value}`);
      const said = notices.some((notice) => notice.startsWith(`${key} = ${value} is not`));
      assert.equal(said, named, `${key}=${value}`);
    }
  }
});

describe('a link into a story', { skip: missing }, () => {
  const FIRST = '#look?v=1&lookHead=99_9&lookPrompt=abcdef';
  let browser;
  let site;
  let page;
  before(async () => {
    browser = await launch();
    site = await serve({ panels: ['look', 'lab'] });
    ({ page } = await openLook(browser, site, FIRST));
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  const notice = () => page.textContent('#notice');
  const arrive = async (fragment) => {
    await page.evaluate((to) => void (location.hash = to), fragment);
    await drawn(page);
    await calm(page);
    await drawn(page);
  };

  test('a head or a word that is not there is named', async () => {
    assert.match(await notice(), /lookHead = 99_9/);
    await arrive('#look?v=1&lookHead=-1_3');
    assert.match(await notice(), /lookHead = -1_3/);
    await arrive('#look?v=1&lookHead=1_3');
    assert.equal(await notice(), '');
    assert.deepEqual([(await shown(page)).layer, (await shown(page)).head], [1, 3]);
    await arrive('#look?v=1&lookPrompt=abcdef&lookAt=9000');
    assert.match(await notice(), /lookAt = 9000/);
  });

  test('a word that is not written yet is written, and locked', async () => {
    await loadLook(page, site, '#look?v=1&lookPrompt=once upon a time&lookAt=25');
    await page.waitForSelector(`${PANEL} .token.locked`);
    assert.equal((await shown(page)).at, 25);
    assert.equal(await page.locator(`${PANEL} .token`).count(), 26);
    assert.equal(await notice(), '');
  });

  test('a prompt that is too long is cut, and the page says so', async () => {
    await loadLook(page, site, '#look?v=1&lookPrompt=abcdef');
    const field = page.getByLabel('How the story begins');
    await field.fill('ab '.repeat(100));
    await field.press('Enter');
    await drawn(page);
    assert.match(await notice(), /is a text of 1 to 200 characters, so the rest is left out/);
    assert.equal((await field.inputValue()).length, 200);
    await field.fill('');
    await field.press('Enter');
    assert.match(await notice(), /so it is the first one again/);
    assert.notEqual(await field.inputValue(), '');
  });

  test('the lab names heads, words and layers that are not there', async () => {
    const link = '#lab?v=1&labHeads=9.0_1.1&labHidden=99&labWord=900&labLayer=50';
    await page.goto('about:blank');
    await page.goto(site.url + link);
    await page.waitForSelector('#lab [data-told="true"]');
    const text = await notice();
    for (const name of ['head 9.0', 'prompt word 99', 'story word 900', 'layer 50'])
      assert.ok(text.includes(name), `${name}: ${text}`);
  });

  test('a depth, a theme or a panel that is not there is named', async () => {
    await page.goto(`${site.url}?depth=deep&theme=red&embed=nothing#look?v=1&foo=1`);
    await page.waitForFunction(() => document.documentElement.dataset.started !== undefined);
    const text = await notice();
    for (const name of ['depth = deep', 'theme = red', '“nothing”', '“foo”'])
      assert.ok(text.includes(name), `${name}: ${text}`);
  });
});
