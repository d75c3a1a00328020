/** Formulas beside each other, and brackets in them, as large as letters. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { launch, missing, opened } from '../site.js';

describe('formulas', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['use'] });

  test('of a row stand on one line', async () => {
    const rows = await page.$$eval('.formula', (all) =>
      all.map((formula) =>
        [...formula.querySelectorAll('math')]
          .map((math) => math.querySelector(':scope > mrow > mo, :scope > mrow > mtext'))
          .filter((sign) => sign && /[=≤∝]|where/.test(sign.textContent))
          .map((sign) => sign.getBoundingClientRect())
          .map(({ top, bottom }) => (top + bottom) / 2),
      ),
    );
    const several = rows.filter((row) => row.length > 1);
    assert.ok(several.length > 2, `${several.length} rows of formulas`);
    for (const row of several) {
      // a formula that has no space in the row begins another
      const apart = row.slice(1).map((y, i) => Math.abs(y - row[i]));
      for (const far of apart) assert.ok(far < 4 || far > 24, `${far} pixels apart`);
    }
  });

  test('have tall brackets only around fractions', async () => {
    const brackets = await page.$$eval('.formula mo', (signs) =>
      signs
        .filter(({ textContent }) => /[()]/.test(textContent))
        .map((sign) => {
          const size = parseFloat(getComputedStyle(sign).fontSize);
          const group = [...sign.parentElement.children].some(({ tagName }) => tagName === 'mfrac');
          return { tall: sign.getBoundingClientRect().height / size, group };
        }),
    );
    assert.ok(brackets.length > 12);
    for (const { tall, group } of brackets)
      assert.ok(tall < 1.7 || group, `${tall} times a letter`);
    assert.ok(
      brackets.some(({ tall }) => tall > 2),
      'those around fractions',
    );
  });
});
