/** A link carries a checksum of its numbers, and the page compares. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from '../../../web/page/engine.js';
import { heads } from '../../../web/panels/many-heads/worker.js';
import { becomes } from '../../support/web/becomes.js';
import { browsers, go, launch, missing, opened } from '../site.js';

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

  test('has the checksum, until a setting changes the numbers', async () => {
    await go(page, '#many-heads?v=1&T=2');
    await page.getByRole('button', { name: 'copy link' }).click();
    const here = await checksum();
    const link = () => page.evaluate('location.hash');
    await becomes(link, `#many-heads?v=1&T=2&bits=${here}`);
    const field = page.locator('#many-heads textarea');
    if (await field.count()) assert.ok((await field.inputValue()).endsWith(`&bits=${here}`));
    await page.getByLabel('Temperature T, as a number').fill('3');
    await page.getByLabel('Temperature T, as a number').press('Enter');
    await becomes(link, '#many-heads?v=1&T=3');
    assert.equal(await said(page), '');
  });
});
