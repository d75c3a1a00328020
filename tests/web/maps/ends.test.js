/** Many heads at exactly T = 0 and T = ∞. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attentionRow } from '../../../web/math/oracle.js';
import { undecided } from '../../../web/panels/many-heads/rows.js';
import { drawn, go, launch, missing, opened, statements, verdicts } from '../site.js';
import { BY_PANEL } from '../statuses.js';
import { weightsOf } from '../recompute.js';

describe('many heads at an end of the temperature', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['many-heads'] });

  /** The weights of the large map by its table; null where a cell is masked. */
  async function shown() {
    await page.focus('.pinned .map-cursor');
    await page.keyboard.press('t');
    const rows = await page.$$eval('#many-heads-panel .map-table tbody tr', (all) =>
      all.map((row) =>
        [...row.querySelectorAll('td')].map(({ className, dataset }) =>
          className === 'masked' ? null : Number(dataset.value),
        ),
      ),
    );
    await page.keyboard.press('t');
    return rows;
  }

  for (const [T, name] of [
    [0, 'T = 0, exactly'],
    [Infinity, 'T = infinity, exactly'],
  ]) {
    test(`T = ${T} has a button, a link, and the weights of that end and no others`, async () => {
      await go(page, '#');
      await page.getByRole('button', { name }).click();
      await drawn(page);
      const expected = weightsOf({ T }, 4);
      (await shown()).forEach((row, i) =>
        row.forEach((weight, j) =>
          assert.equal(weight, j > i ? null : Math.fround(expected[i][j]), `${i}, ${j}`),
        ),
      );
      assert.deepEqual(await verdicts(page), BY_PANEL['many-heads']);
      await page.waitForFunction((T) => location.hash.endsWith(`v=1&T=${T}`), T);
      assert.match(await page.textContent('#many-heads .figure-note'), T ? /T = ∞,/ : /T = 0,/);
    });

    test(`the link T = ${T} is taken as it is, in any colour and mask, with a NaN`, async () => {
      for (const rest of ['x=log', 'x=uniform', 'x=share', 'x=value', 'c=0&w=3', 'H=6&G=1&n=7']) {
        await go(page, `#T=${T}&${rest}`);
        const told = { ...BY_PANEL['many-heads'] };
        assert.deepEqual(await verdicts(page), told, rest);
        assert.equal(await page.textContent('#notice'), '', rest);
      }
      await go(page, `#T=${T}&nan=9&H=4&G=2`);
      assert.deepEqual(await verdicts(page), BY_PANEL['many-heads']);
      assert.equal((await statements(page)).C2.poisoned, 46);
    });
  }

  test('at T = 0 the legend does not call the other weights too small', async () => {
    await go(page, '#T=0');
    const extra = await page.textContent('.machine-right .legend-extra');
    // the first query of a head has one key, and each other leaves all of its keys but one
    const others = 8 * ((31 * 32) / 2);
    assert.match(
      extra,
      new RegExp(`painted as 0: ${others} weights of keys that are not the best`),
    );
    await go(page, '#');
  });
});

test('a row whose best key, or the sign of its best score, is up to rounding is left out', () => {
  const shape = { n: 2, d: 1, dv: 1, scale: 1, T: 0 };
  const open = (...keys) => undecided(attentionRow([1], keys, [0, 0], shape), 0, 1);
  assert.equal(open(1, 2), false);
  assert.equal(open(2, 2), false, 'an exact tie is shared');
  assert.equal(open(2, 2 + 2 ** -22), true);
  assert.equal(open(0, -1), true);
  assert.equal(open(-1, -2), false);
  assert.equal(
    undecided(attentionRow([1], [2, 2 + 2 ** -22], [0, 0], { ...shape, T: 1 }), 1, 1),
    false,
  );
});

test('the oracle at T = 0 shares among the best keys, and passes a NaN on', () => {
  const shape = { n: 3, d: 1, dv: 1, scale: 1, T: 0 };
  const row = (keys) => attentionRow([1], keys, [3, 5, 7], shape);
  const { weights, output, lse } = row([2, 1, 2]);
  assert.deepEqual([[...weights], output[0], lse], [[0.5, 0, 0.5], 5, Infinity]);
  assert.equal(row([-2, -1, -2]).lse, -Infinity);
  assert.equal(row([-2, 0, 0]).lse, Math.log(2));
  assert.ok(row([2, NaN, 1]).weights.every(Number.isNaN));
});
