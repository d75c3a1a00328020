/** The part of its weights that a head moves to other keys as it shares them, against float64. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { movedParts } from '../../../web/panels/many-heads/compute.js';
import { movedInWords } from '../../../web/panels/many-heads/words.js';
import { sum, weightsOf } from '../recompute.js';
import { close, go, launch, missing, opened } from '../site.js';

const HEADS = [0, 1, 2, 3, 4, 5, 6, 7];
/** The mean over queries of half of the sum of the changes, from keys of its own. */
function moved(h, setting) {
  const own = weightsOf({ ...setting, G: 8 }, h);
  const rows = weightsOf(setting, h);
  const parts = rows.map((row, i) => sum([...row].map((p, j) => Math.abs(p - own[i][j]))) / 2);
  return sum(parts) / parts.length;
}

test('a weight that goes to another key is moved once, and queries of NaN are left out', () => {
  const before = [1, 0, 0.5, 0.5, NaN, NaN, 0.25, 0.75];
  const weights = [0, 1, 0.5, 0.5, 0.5, 0.5, NaN, NaN];
  assert.deepEqual(movedParts(weights, before, { H: 2, n: 2 }), [0.5, NaN]);
});

test('the sentence tells the mean over the heads that have one', () => {
  const told = (G, parts) => movedInWords({ H: 2, G, moved: parts });
  assert.match(told(1, [0.1, 0.3]), / other keys, 20 % on average\./);
  assert.match(told(1, [0.1, NaN]), / other keys, 10 % on average\./);
  assert.match(told(1, [NaN, NaN]), /^Every row reads a NaN/);
  assert.match(told(2, [0, 0]), /no weight moves/);
});

describe('the numbers under the squares', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['many-heads'] });

  /** @returns {Promise<{ value: number, text: string }[]>} */
  const shown = () =>
    page.$$eval('.head .moved', (all) =>
      all.map(({ dataset, textContent }) => ({ value: Number(dataset.value), text: textContent })),
    );

  for (const [link, setting] of [
    ['#', { G: 4 }],
    ['#G=1', { G: 1 }],
    ['#G=2&T=0.1&c=0', { G: 2, T: 0.1, causal: false }],
    ['#G=1&src=normal', { G: 1, kind: 'normal' }],
  ])
    test(`are those of float64 at ${link}`, async () => {
      await go(page, link);
      const numbers = await shown();
      assert.equal(numbers.length, 8);
      HEADS.forEach((h) => {
        const part = moved(h, setting);
        assert.ok(part > 0.01, `head ${h} moves ${part}`);
        close(numbers[h].value, part, 0, `head ${h}`, 1e-4);
        assert.equal(numbers[h].text, `${Math.round(100 * numbers[h].value)} % moved`);
      });
    });

  test('are larger for one set of keys than for four, and 0 for keys of their own', async () => {
    const at = async (sets) => {
      await go(page, `#G=${sets}`);
      return (await shown()).map(({ value }) => value);
    };
    const [one, four, own] = [await at(1), await at(4), await at(8)];
    assert.ok(sum(one) > 1.2 * sum(four));
    assert.deepEqual(own, Array(8).fill(0));
  });
});
