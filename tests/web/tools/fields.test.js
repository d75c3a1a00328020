/** The number beside a slider is quiet, and still a field for the keyboard and a finger. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contrast, opacity } from '../../support/web/contrast.js';
import { go, launch, missing, opened } from '../site.js';

const PANELS = ['trust', 'commitment', 'sharing'];

/** In the page: the border of a field, the paper that it is on, and its size. */
function bordered(field) {
  const { borderTopColor: border } = getComputedStyle(field);
  const { width, height } = field.getBoundingClientRect();
  const paper = getComputedStyle(document.documentElement).backgroundColor;
  return { border, paper, size: [width, height] };
}

describe('the number of a slider', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: PANELS });

  for (const colorScheme of ['light', 'dark'])
    test(`is text, and has a border while it is hovered or focused, ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme });
      const fields = await page.locator('.slider > input[type=number]').all();
      assert.equal(fields.length, PANELS.length);
      for (const field of fields) {
        const rest = await field.evaluate(bordered);
        assert.equal(opacity(rest.border), 0, rest.border);
        assert.ok(rest.size[1] >= 24, `${rest.size[1]} pixels for a finger`);
        for (const [how, come, leave] of [
          ['hovered', () => field.hover(), () => page.mouse.move(0, 0)],
          ['focused', () => field.focus(), () => field.blur()],
        ]) {
          await come();
          const { border, paper, size } = await field.evaluate(bordered);
          assert.ok(contrast(border, paper) >= 3, `${how}: ${border} on ${paper}`);
          assert.deepEqual(size, rest.size, 'nothing moves');
          await leave();
        }
      }
    });

  test('is rounded where the digits do not fit, and the setting keeps them', async () => {
    const field = page.locator('#trust .slider > input[type=number]');
    for (const [T, shown] of [
      ['0.70001', '0.70001'],
      ['1.29243241', '1.29'],
      ['0.287074231', '0.287'],
    ]) {
      await go(page, `#trustT=${T}`);
      assert.equal(await field.inputValue(), shown);
      const [content, space] = await field.evaluate((e) => [e.scrollWidth, e.clientWidth]);
      assert.ok(content <= space, `${content} pixels of digits in ${space}`);
      assert.match(page.url(), new RegExp(`trustT=${T}\\b`));
    }
  });
});
