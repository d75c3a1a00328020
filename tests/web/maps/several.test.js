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
});
