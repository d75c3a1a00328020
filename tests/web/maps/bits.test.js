/** A link carries a checksum of its numbers, and the page compares. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from '../../../web/page/engine.js';
import { heads } from '../../../web/panels/many-heads/worker.js';
import { becomes } from '../../support/web/becomes.js';
import { browsers, go, launch, missing, opened, settled } from '../site.js';

/** The settings of many heads in the beginning, at another temperature. */
const HEADS = {
  ...{ H: 8, G: 4, n: 32, d: 64, T: 2, seed: 7, kind: 'patterns', poison: -1 },
  mask: { causal: true, reach: 256 },
};
const checksum = async () => heads(await load(), HEADS).checksum;
const OTHER = '0123abcd';
const said = (page) => page.textContent('.bits span:last-child');

for (const { name, missing: without, launch: start } of browsers)
  describe(`a link with a checksum, in ${name}`, { skip: without }, () => {
    let page;
    opened((visited) => ({ page } = visited), start, { panels: ['many-heads'] });

    test('is told that the numbers are those of Node, or others', async () => {
      const here = await checksum();
      await go(page, `#many-heads?v=1&T=2&bits=${here}`);
      assert.equal(
        await said(page),
        `The link came with the checksum ${here} of its numbers. ` +
          '✓ The numbers here are the same, to the last bit.',
      );
      await go(page, `#many-heads?v=1&T=2&bits=${OTHER}`);
      assert.match(await said(page), new RegExp(`✗ The numbers here are others: .*${here}[.]$`));
      await go(page, '#many-heads?v=1&T=2');
      assert.equal(await said(page), '');
    });
  });

describe('the link that is copied', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['many-heads'] });

  /** In the page: the clipboard keeps each text in a list. */
  const listen = () =>
    page.evaluate(() => {
      window.copied = [];
      navigator.clipboard.writeText = async (text) => void window.copied.push(text);
    });

  test('has the checksum, until a setting changes the numbers', async () => {
    await go(page, '#many-heads?v=1&T=2');
    await listen();
    await page.getByRole('button', { name: 'copy link' }).click();
    const here = await checksum();
    const link = () => page.evaluate('location.hash');
    await becomes(link, `#many-heads?v=1&T=2&bits=${here}`);
    const [copied] = await page.evaluate('window.copied');
    assert.ok(copied.endsWith(`#many-heads?v=1&T=2&bits=${here}`), copied);
    await page.getByLabel('Temperature T, as a number').fill('3');
    await page.getByLabel('Temperature T, as a number').press('Enter');
    await becomes(link, '#many-heads?v=1&T=3');
    assert.equal(await said(page), '');
  });

  test('has none of other numbers, while new ones are on their way', async () => {
    await go(page, '#many-heads?v=1&H=16&n=128&T=2');
    await listen();
    await page.evaluate(async () => {
      const panel = document.getElementById('many-heads');
      const field = panel.querySelector('[aria-label="Temperature T, as a number"]');
      const button = [...panel.querySelectorAll('.tools button')].find(
        ({ textContent }) => textContent !== 'reset',
      );
      for (let frame = 0; frame < 40; frame++) {
        if (frame % 2 === 0) {
          field.value = frame % 4 === 0 ? '3' : '2';
          field.dispatchEvent(new Event('change'));
        }
        button.click();
        await new Promise(requestAnimationFrame);
      }
    });
    await settled(page);
    await page.getByRole('button', { name: /^(copy link|copied)$/ }).click();
    const copied = await page.evaluate('window.copied');
    assert.equal(copied.length, 41);
    const engine = await load();
    const own = [2, 3].map((T) => heads(engine, { ...HEADS, H: 16, n: 128, T }).checksum);
    const bits = copied.map((link) => /T=(\d).*?(?:&bits=(\w+))?$/.exec(link));
    for (const [, T, found] of bits) if (found) assert.equal(found, own[T - 2], `T = ${T}`);
    assert.equal(bits[0][2], undefined, 'new numbers were asked for just before');
    assert.equal(bits.at(-1)[2], own[0]);
  });
});
