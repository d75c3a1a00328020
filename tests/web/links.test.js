/** A link is the whole state of the page, within its limits. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../support/web/becomes.js';
import { drawn, go, launch, missing, opened, reopen, statements } from './site.js';

const PANELS = ['one-look', 'many-heads', 'distance'];

describe('the page, from a plain static server in a sub-path', { skip: missing }, () => {
  let site;
  let page;
  opened((visited) => ({ site, page } = visited), launch, { panels: PANELS });

  test('a link is the whole state, and only differences are written', async () => {
    assert.equal(await page.evaluate(() => location.hash), '');
    await page.getByLabel('Temperature T, as a number').nth(1).fill('0.5');
    await page.keyboard.press('Enter');
    await page.getByLabel('no looking ahead').uncheck();
    await page.getByLabel('× uniform').check();
    await page.getByLabel('divide key length out').check();
    await page.waitForFunction(() => location.hash.includes('rk=1'));
    await drawn(page);
    const hash = await page.evaluate(() => location.hash);
    assert.deepEqual(
      new Set(hash.split(/[?&]/)),
      new Set(['#distance', 'v=1', 'T=0.5', 'c=0', 'x=uniform', 'rk=1']),
    );
    // the row of the model is taken apart once it is seen
    const seen = async () => {
      await page.locator('.why').scrollIntoViewIfNeeded();
      await page.locator('.why[data-of="model"]').waitFor();
      await drawn(page);
      return statements(page);
    };
    const told = await seen();
    await reopen(page, site, hash);
    assert.deepEqual(await seen(), told);
    await go(page, '#T=1');
    await page.goBack();
    await page.waitForFunction((before) => location.hash === before, hash);
    await drawn(page);
    assert.deepEqual(await statements(page), told, 'Back returns to the state before');
  });

  test('a request beyond the limits in a link is clamped, and said', async () => {
    await reopen(page, site, '#H=7&G=3&n=9999&T=cold&heroT=-1&foo=1&at=1');
    const notice = await page.textContent('#notice');
    for (const said of [
      'n = 9999',
      'T = cold',
      'heroT = -1',
      '“foo”',
      'at = 1',
      'do not divide 7 query heads',
    ])
      assert.ok(notice.includes(said), said);
    assert.match(
      await page.textContent('.figure-note'),
      /^7 heads, 1 set of keys: all share it\. This is MQA, with 256 positions/,
    );
    await page.getByRole('button', { name: 'understood' }).click();
    // a mouse that rests on a map would choose its head
    await page.mouse.move(0, 0);
    assert.equal(await page.textContent('#notice'), '');
    for (const [link, said, title] of [
      ['#?h=77', 'h = 77 is not a whole number from 0 to 7, so it is 7.', 'Head 7,'],
      ['#?h=20', 'h = 20 is not a whole number from 0 to 7, so it is 7.', 'Head 7,'],
      [
        '#?H=32&h=20&at=40_3',
        'at = 40_3 is not 2 numbers from 0 to 31, joined by _, so it is 31_3.',
        'Head 20,',
      ],
    ]) {
      await go(page, link);
      assert.equal(
        await page.textContent('#notice p'),
        `Not all of the link could be used: ${said}`,
      );
      await becomes(() => page.textContent('.readout h3'), new RegExp(`^${title}`), link);
    }
    await page.evaluate(() => (document.querySelector('#many-heads-panel details').open = true));
    await page.getByLabel('query heads H').fill('16');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('H=16&h=15&'));
    await go(page, await page.evaluate(() => location.hash));
    assert.equal(await page.textContent('#notice'), '', 'a link that the page wrote can be used');
    await go(page, '#many-heads?foo=1&G=3');
    await page.evaluate(() => document.querySelector('#many-heads').scrollIntoView());
    assert.ok((await page.locator('#notice').boundingBox()).y < 900, 'where the reader is');
    assert.match(
      await page.textContent('#notice'),
      /^Not all of the link could be used: there is no setting “foo”; 3 key/,
    );
  });

  test('numbers beyond the limits are clamped, and the page says so', async () => {
    await go(page, '#');
    await page.evaluate(() => (document.querySelector('#many-heads-panel details').open = true));
    for (const [field, typed, used, said] of [
      [
        page.getByLabel('Temperature T, as a number').first(),
        '0.001',
        '0.05',
        'Temperature T is a number from 0.05 to 20, or 0, or Infinity, so 0.001 became 0.05.',
      ],
      [
        page.getByLabel('query heads H'),
        '1000',
        '32',
        'query heads H is a whole number from 1 to 32, so 1000 became 32.',
      ],
      [
        page.getByLabel('head size d'),
        '6.4',
        '6',
        'head size d is a whole number from 1 to 256, so 6.4 became 6.',
      ],
      [
        page.getByLabel('positions n'),
        '',
        '32',
        'positions n is a whole number from 1 to 256, so what was typed became 32.',
      ],
      [
        page.getByLabel('seed').first(),
        '-5',
        '0',
        'seed is a whole number from 0 to 4294967295, so -5 became 0.',
      ],
    ]) {
      await field.fill(typed);
      await field.press('Enter');
      assert.equal(await field.inputValue(), used);
      assert.equal(await page.textContent('#notice p'), said);
    }
    const seed = page.getByLabel('seed').first();
    await seed.fill('4294967295');
    await seed.press('Enter');
    assert.equal(await page.textContent('#notice'), '', 'nothing remains to be said');
    await seed.fill('-5');
    await seed.press('Enter');
    await page.getByText('Clearhead', { exact: true }).first().click();
    assert.equal(await page.textContent('#notice'), '', 'the next press takes it away');
    await go(page, '#');
    await seed.fill('4294967295');
    await seed.press('Enter');
    assert.ok(await seed.evaluate((field) => field.scrollWidth <= field.clientWidth));
  });

  test('an angle beyond a full turn is turned, typed or in a link, without a message', async () => {
    await go(page, '#heroQ=400&heroK=-30_0_100_165_360_721');
    await page.getByText('the numbers, and angles to type').click();
    const angles = () =>
      page.$$eval('.hero-below input', (all) => all.map(({ value }) => Number(value)));
    assert.deepEqual(await angles(), [40, 330, 0, 100, 165, 360, 1]);
    for (const [typed, used] of [
      ['400', 40],
      ['-30', 330],
      ['360', 360],
    ]) {
      await page.getByLabel('key 1, degrees').fill(typed);
      await page.keyboard.press('Enter');
      assert.deepEqual(await angles(), [40, used, 0, 100, 165, 360, 1]);
    }
    assert.equal(await page.textContent('#notice'), '');
  });

  test('the depth is in the address, and in a link that is copied', async () => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = (text) => Promise.resolve(void (window.copied = text));
    });
    for (const [depth, query] of [
      ['look', ''],
      ['understand', '?depth=understand'],
      ['doubt', '?depth=doubt'],
    ]) {
      await page.locator(`#depth-${depth}`).check();
      assert.equal(await page.evaluate(() => location.search), query);
      await page.locator('#one-look .tools').getByRole('button', { name: 'copy link' }).click();
      const [copied] = (await page.evaluate(() => window.copied)).split('#');
      assert.equal(copied, site.url + query);
    }
  });

  test('a copy says so for a moment, and one that is refused shows its text once', async () => {
    for (const [place, name] of [
      ['#one-look .tools', 'copy link'],
      ['#statement-C0', 'copy a report'],
    ]) {
      /** Twice at once. The labels after each press. */
      const press = (allowed) =>
        page.evaluate(
          async ([place, name, allowed]) => {
            navigator.clipboard.writeText = () =>
              allowed ? Promise.resolve() : Promise.reject(new Error('refused'));
            const buttons = [...document.querySelectorAll(`${place} button`)];
            const button = buttons.find(({ textContent }) => textContent === name);
            const labels = [];
            for (const _ of ['once', 'and again']) {
              button.click();
              await new Promise(requestAnimationFrame);
              labels.push(button.textContent);
            }
            return labels;
          },
          [place, name, allowed],
        );
      const named = () => page.locator(`${place} button`, { hasText: name }).count();
      const texts = () => page.locator(`${place} textarea, ${place} + textarea`).count();
      await becomes(named, 1, name);
      assert.deepEqual(await press(true), ['copied', 'copied']);
      await becomes(named, 1, name);
      assert.deepEqual(await press(false), [name, name]);
      assert.equal(await texts(), 1, `${name}: the text, to be copied by hand`);
      await press(true);
      assert.equal(await texts(), 0);
      await becomes(named, 1, name);
    }
  });

  test('a link that is followed names its section still, when others have changed', async () => {
    await go(page, '#distance?v=1&rk=1');
    await go(page, '#many-heads?v=1&H=4');
    // a press writes the address
    await page.locator('#many-heads h2').click();
    assert.equal(await page.evaluate(() => location.hash), '#many-heads?v=1&H=4');
    await page.locator('#distance').getByLabel('divide key length out').check();
    await page.locator('#many-heads h2').click();
    assert.equal(await page.evaluate(() => location.hash), '#distance?v=1&H=4&rk=1');
  });

  test('a link to a section keeps the state and goes there', async () => {
    await go(page, '#H=4');
    await page.getByRole('link', { name: 'Why softmax', exact: true }).click();
    assert.equal(await page.evaluate(() => location.hash), '#trust?v=1&H=4');
    await page.getByRole('link', { name: 'More models', exact: true }).click();
    assert.equal(await page.evaluate(() => location.hash), '#sharing?v=1&H=4', 'of a panel, too');
    await reopen(page, site, '#distance?v=1&H=4');
    assert.ok(
      Math.abs(await page.$eval('#distance', (section) => section.getBoundingClientRect().top)) <
        40,
    );
  });
});
