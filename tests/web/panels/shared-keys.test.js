/** How fast here: one new word that looks at a cache, whose heads share keys in four ways. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import {
  bytesOf,
  compareShared,
  HEADS,
  KEYS,
  SHARED,
  timeShared,
} from '../../../web/panels/speed/shared-compute.js';
import { D } from '../../../web/panels/speed/ways.js';
import { becomes } from '../../support/web/becomes.js';
import { launch, missing, opened } from '../site.js';

describe('ways to share keys', () => {
  let engine;
  before(async () => (engine = await init()));

  test('give the numbers of heads with a copy each', () => {
    const found = compareShared(engine);
    assert.deepEqual(
      found.map(({ way }) => way),
      [...SHARED],
    );
    for (const { way, ratio, max } of found) assert.ok(ratio <= 1 && max > 0, `${way}: ${ratio}`);
  });

  test('do not where heads read the keys of others', () => {
    const off = {
      ...engine,
      attend: (q, cache, options) => engine.attend(q.toReversed(), cache, options),
    };
    for (const { way, ratio } of compareShared(off)) assert.ok(ratio > 1, way);
  });

  test('have caches of keys and values for each shared head', () => {
    for (const way of SHARED) {
      const cache = engine.kvCache({ kvHeads: Number(way), headDim: D, capacity: KEYS });
      const numbers = 2 * Number(way) * KEYS * D;
      assert.equal(bytesOf(way), 4 * numbers);
      assert.ok(cache.bytes >= bytesOf(way) && cache.bytes < 1.02 * bytesOf(way), `${cache.bytes}`);
      cache.dispose();
    }
    assert.equal(Number(SHARED[0]), HEADS);
  });

  test('have a time', () => {
    for (const way of SHARED) assert.ok(timeShared(engine, way) > 0);
  });
});

describe('ways to share keys, in the page', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['speed'] });

  /** In the page: the cells of its table. */
  const shown = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('.shared-speed tbody tr')].map(({ cells }) =>
        [...cells].map(({ textContent, dataset }) => dataset.value ?? textContent),
      ),
    );

  test('are equal first, and timed when a reader sees them', async () => {
    for (const [, bytes, equal, , time] of await shown()) {
      assert.ok(Number(bytes) > 0);
      assert.match(equal, /^\d\.?\d*e−\d+$/);
      assert.equal(time, '', 'nobody has seen it');
    }
    assert.deepEqual(
      (await shown()).map(([, bytes]) => Number(bytes)),
      SHARED.map(bytesOf),
    );
    await page.locator('.shared-keys').scrollIntoViewIfNeeded();
    const said = () => page.locator('.shared-said').textContent();
    await becomes(async () => / The button times each 9 times\./.test(await said()), true);
    const times = (await shown()).map(([, , , , time, faster]) => [time, faster]);
    for (const [time] of times) assert.match(time, /^[\d.]+ ms$/);
    assert.equal(times[0][1], '1 ×');
    const own = parseFloat(times[0][0]);
    for (const [time, faster] of times)
      assert.ok(Math.abs(parseFloat(faster) / (own / parseFloat(time)) - 1) < 0.1, `${faster}`);
    assert.match(
      await said(),
      /^Here, now, a word looks back in [\d.]+ ms with keys for each head/,
    );
  });
});
