/** Queries that are kept: the mean of their rows, against float64. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { sum, weightsOf } from '../recompute.js';
import { close, go, launch, missing, opened } from '../site.js';

const KEPT = [5, 12, 20];

describe('several queries', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['many-heads'] });

  const told = () => page.textContent('.several span');
  const bars = () => page.locator('.pinned-axes .bar').count();

  test('have the mean of their rows as bars, and as a number at each key', async () => {
    const rows = weightsOf({}, 4);
    for (const j of [0, 5, 6, 17, 20]) {
      await go(page, `#at=20_${j}&rows=${KEPT.join('_')}`);
      const mean = sum(KEPT.map((i) => rows[i][j])) / KEPT.length;
      const shown = await page.getAttribute('.several span', 'data-value');
      close(Number(shown), mean, 1e-5, `key ${j}`);
    }
    assert.match(
      await told(),
      /^Bars: the mean of queries 5, 12 and 20\. To key 20 it gives 0\.\d+/,
    );
    assert.equal(await bars(), 21, 'a bar for each key that one of them may read');
    assert.match(await page.textContent('.pinned-axes'), /mean weights of queries 5, 12 and 20/);
    await go(page, `#at=20_25&rows=${KEPT.join('_')}`);
    assert.match(await told(), /To key 25 it gives nothing/);
    assert.equal(await page.getAttribute('.several span', 'data-value'), null);
  });

  test('are kept by a press and let go by another, with the link', async () => {
    const press = (name) => page.getByRole('button', { name }).click();
    const link = () => page.evaluate('location.hash');
    await go(page, '#');
    assert.equal(await page.locator('.several').isVisible(), false, 'nothing is locked');
    await go(page, '#many-heads?at=12_3');
    await press('keep query 12');
    await becomes(told, /^Bars: the mean of query 12\./);
    await go(page, '#many-heads?at=9_3&rows=12');
    await press('keep query 9');
    await becomes(told, /queries 9 and 12/);
    await becomes(link, /rows=9_12/);
    await press('let query 9 go');
    await becomes(told, /^Bars: the mean of query 12\./);
    await press('keep none');
    await becomes(told, /^$/);
    await becomes(link, /^(?!.*rows)/);
    assert.equal(await bars(), 10, 'the row of the locked query');
  });

  test('that a map of fewer queries does not have are in no picture and in no link', async () => {
    const queries = page.getByLabel('positions n');
    await go(page, '#many-heads?rows=3_25_30');
    await queries.evaluate((field) => {
      field.value = '20';
      field.dispatchEvent(new Event('change'));
    });
    await becomes(told, /^Bars: the mean of query 3\./);
    await becomes(() => page.evaluate('location.hash'), '#many-heads?v=1&n=20&rows=3');
    await go(page, '#many-heads?v=1&n=20&rows=3_25');
    assert.match(await told(), /^Bars: the mean of query 3\./);
    assert.match(await page.textContent('#notice'), /rows = 3_25 is not .*so it is 3/s);
  });

  test('are sixteen and no more, which is told', async () => {
    const sixteen = Array.from({ length: 16 }, (_, i) => i).join('_');
    const { change, clear } = { change: /^(keep|let) query/, clear: 'keep none' };
    const named = (name) => page.getByRole('button', { name });
    await go(page, `#many-heads?at=20_3&rows=${sixteen}`);
    assert.match(await told(), /No more than 16 queries can be kept\. $/);
    assert.equal(await named(change).count(), 0);
    await go(page, `#many-heads?at=15_3&rows=${sixteen}`);
    assert.doesNotMatch(await told(), /No more/);
    await named(change).click();
    await becomes(told, /13 and 14\./);
    await named(change).click();
    await becomes(told, /14 and 15\./);
    assert.equal(await named(clear).count(), 1);
  });

  for (const [fragment, next, place] of [
    ['#many-heads?at=9_3&rows=12', /^keep query 9/, 'the other button'],
    ['#many-heads?rows=12', /^Pinned head|^Head 4.*Arrow keys move/, 'the map'],
  ])
    test(`that are let go by “keep none” leave the focus at ${place}`, async () => {
      await go(page, fragment);
      await page.getByRole('button', { name: 'keep none' }).press('Enter');
      await becomes(told, /^$/);
      const focus = () =>
        page.evaluate(() => {
          const { activeElement: element } = document;
          return element.getAttribute('aria-label') ?? element.textContent;
        });
      await becomes(focus, next);
    });
});
