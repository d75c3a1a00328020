/** The page is used by keyboard, by mouse and by finger. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { short } from '../../web/plot/format.js';
import { becomes } from '../support/web/becomes.js';
import { controls, tabStops } from '../support/web/tab-stops.js';
import { weightsOf } from './recompute.js';
import { DEFAULT } from './statuses.js';
import { close, drawn, go, missing, opened } from './site.js';

/** The title of the readout while no cell is locked. */
const FREE = /^(?!.*locked)/s;

describe('using the page', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited));

  test('Tab reaches everything that acts once, with a name and a visible focus', async () => {
    // the lab is built when it comes near, and has its words when its model has read them
    await page.locator('#lab').scrollIntoViewIfNeeded();
    await page.waitForSelector('.lab-word');
    const seen = await tabStops(page);
    for (const each of seen) {
      assert.ok(each.name, `a name for ${each.tag} ${each.kind}`);
      assert.ok(each.visible, `focus can be seen on ${each.tag} “${each.name}”`);
    }
    const maps = seen.filter(({ kind }) => kind === 'map-cursor');
    assert.equal(maps.length, 1 + 1 + 1, 'a tab stop for all heads, the large one, and three maps');
    const handles = seen.filter(({ kind }) => kind.startsWith('handle'));
    assert.equal(
      handles.length,
      7 + 6 + 1 + 1,
      'the query and six keys, six reports, a budget and a compromise',
    );
    assert.deepEqual(
      handles.slice(0, 7).map(({ kind }) => kind),
      ['handle query', ...Array(6).fill('handle key')],
    );
    const oracles = seen.filter(({ name }) => name === 'show how it is checked');
    // a few statements wait for a model or a training, and show none yet
    const shown = await page
      .getByRole('button', { name: 'show how it is checked', exact: true })
      .count();
    assert.ok(shown >= Object.keys(DEFAULT).length, `${shown} oracles`);
    assert.equal(oracles.length, shown);
    const count = await controls(page);
    assert.ok(
      seen.length >= count,
      `${seen.length} stops, ${count} controls (of a group of radio buttons one is a stop)`,
    );
  });

  test('arrow keys turn the query by a degree, with Shift by ten, Page keys by 30', async () => {
    const query = page.locator('.handle.query');
    await query.focus();
    for (const [key, now] of [
      ['ArrowRight', 39],
      ['ArrowUp', 40],
      ['ArrowLeft', 39],
      ['Shift+ArrowLeft', 29],
      ['PageUp', 59],
      ['PageDown', 29],
      ['PageDown', 359],
      ['Home', 0],
      ['End', 360],
      ['ArrowRight', 1],
    ]) {
      await page.keyboard.press(key);
      await becomes(() => query.getAttribute('aria-valuenow'), String(now), key);
    }
    const before = await page
      .locator('[data-route="softmax"][data-key="0"]')
      .getAttribute('data-value');
    const box = await page.locator('.handle.key').nth(3).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    const frame = await page.locator('.circle-frame').boundingBox();
    await page.mouse.move(frame.x + frame.width * 0.8, frame.y + frame.height * 0.3, { steps: 4 });
    await page.mouse.up();
    const key = page.locator('.handle.key').nth(3);
    const angle = () => key.getAttribute('aria-valuenow');
    await becomes(angle, /^33\b/, 'a key follows the hand around the circle');
    await drawn(page);
    assert.notEqual(
      await page.locator('[data-route="softmax"][data-key="0"]').getAttribute('data-value'),
      before,
    );
    await go(page, '#');
  });

  test('each arrow key moves the handle of any figure, which keeps the focus', async () => {
    for (const handle of await page.locator('[data-draggable]').all()) {
      const label = await handle.getAttribute('aria-label');
      await handle.focus();
      const values = [await handle.getAttribute('aria-valuetext')];
      for (const key of ['ArrowLeft', 'ArrowLeft']) {
        await page.keyboard.press(key);
        await drawn(page);
        const now = await handle.getAttribute('aria-valuetext');
        assert.notEqual(now, values.at(-1), `${label}: ${key} after ${values.length - 1} others`);
        values.push(now);
      }
    }
    await go(page, '#');
  });

  test('a drag is applied in its order, and its last position stays', async () => {
    await page.evaluate(async () => {
      const shown = document.querySelector('[data-statement="C1-float64"]');
      const slider = document.querySelector('#distance-panel input[type="range"]');
      globalThis.applied = [];
      new MutationObserver(() => globalThis.applied.push(Number(shown.dataset.sigma2))).observe(
        shown,
        { attributeFilter: ['data-sigma2'] },
      );
      const [min, max] = [Number(slider.min), Number(slider.max)];
      for (let step = 0; step <= 30; step++) {
        slider.value = String(min + ((max - min) * step) / 30);
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise(requestAnimationFrame);
      }
    });
    await drawn(page);
    const applied = await page.evaluate('applied');
    const T = page.locator('#distance').getByLabel('Temperature T, as a number');
    assert.deepEqual(
      applied,
      applied.toSorted((a, b) => a - b),
    );
    assert.ok(applied.length > 1);
    close(applied.at(-1), 8 * Number(await T.inputValue()), 1e-14, 'σ² of the last position');
    await go(page, '#');
  });

  test('a cross-hair is on all heads while one is pointed at, and on none at rest', async () => {
    const crossed = () => page.locator('.head .map-cross:visible').count();
    await page.mouse.move(0, 0);
    assert.equal(await crossed(), 0);
    await page.locator('.head .map-cursor').first().hover();
    assert.equal(await crossed(), 8);
    await page.mouse.move(0, 0);
    assert.equal(await crossed(), 0);
  });

  test('a map is read by keyboard: arrow keys, Enter, Escape, and T for a table', async () => {
    const weights = weightsOf({}, 1);
    const cursor = page.locator('.head .map-cursor').nth(1);
    await cursor.focus();
    for (const key of ['Home', 'ArrowUp', 'ArrowRight', 'ArrowRight'])
      await page.keyboard.press(key);
    const sentence =
      /^Head 1.* Query (\d+), key (2): weight ([\d.e−]+), .*, ([\d.e−]+) times an even share\.$/;
    const spoken = await becomes(() => page.textContent('#live'), sentence);
    const [, i, j, told, times] = spoken.match(sentence);
    const crossed = page.locator('.head .map-cross:visible');
    assert.equal(await crossed.count(), 8, 'cross-hair on all heads');
    const exact = Number(await page.locator('[data-name="weight"]').getAttribute('data-value'));
    close(exact, weights[i][j], 1e-5, 'the number that is shown');
    assert.equal(told, short(exact), 'the number that is said');
    const shown = (name) => page.textContent(`.readout [data-name="${name}"]`);
    assert.equal(await shown('weight'), told, 'one rounding for what is said and shown');
    assert.equal(await shown('times an even share'), times);

    await page.keyboard.press('Enter');
    await becomes(() => page.evaluate(() => location.hash), new RegExp(`at=${i}_${j}`));
    await page.mouse.move(
      ...Object.values(await page.locator('.head .map-cursor').nth(5).boundingBox())
        .slice(0, 2)
        .map((x) => x + 40),
    );
    assert.match(
      await page.textContent('.readout'),
      new RegExp(`Head 1.*locked.*Query ${i}, key ${j}`),
    );
    await page.keyboard.press('Escape');
    await becomes(() => page.textContent('.readout h3'), FREE);

    await page.keyboard.press('t');
    const table = await page.$$eval('#many-heads-panel .map-table tbody tr', (trs) =>
      trs.map((tr) => [...tr.querySelectorAll('td')].map((td) => Number(td.dataset.value))),
    );
    weights.forEach((row, r) =>
      row.forEach((p, c) =>
        c <= r
          ? close(table[r][c], p, 1e-5, `table ${r}, ${c}`)
          : assert.ok(Number.isNaN(table[r][c])),
      ),
    );
    await page.keyboard.press('t');
    assert.ok(!(await page.isVisible('#many-heads-panel .map-table')));
    await page.keyboard.press('PageDown');
    assert.match(
      await page.evaluate(() => document.activeElement.getAttribute('aria-label')),
      /^Head 2,/,
    );
  });

  test('all heads are one stop of Tab; Page keys choose, and every choice is said', async () => {
    await go(page, '#');
    const chosen = () => page.textContent('.readout h3');
    const said = (sentence) => becomes(() => page.textContent('#live'), sentence);
    const first = await chosen();
    await page.locator('.head .map-cursor').nth(0).focus();
    assert.equal(await chosen(), first, 'to come by chooses none');
    await page.keyboard.press('PageDown');
    assert.match(await chosen(), /^Head 1,/);
    await said(/^Head 1, .*weight/);
    await page.keyboard.press('Enter');
    const locked = await said(/^Locked\. Head 1, /);
    await page.keyboard.press('ArrowUp');
    await said(locked.replace('Locked.', 'Locked, Escape releases.'));
    await page.keyboard.press('Escape');
    await said(/^Released\. Head 1, /);
    await page.keyboard.press('Tab');
    assert.equal(
      await page.evaluate(() => document.activeElement.closest('.head')),
      null,
      'the next stop is behind the wall',
    );
    await page.keyboard.press('Shift+Tab');
    assert.match(
      await page.evaluate(() => document.activeElement.getAttribute('aria-label')),
      /^Head 1, .*Page keys/,
      'and back at the head that was left',
    );
  });

  test('a click locks, a second one on the same cell lets go', async () => {
    const cursor = page.locator('.head .map-cursor').nth(3);
    await cursor.scrollIntoViewIfNeeded();
    const box = await cursor.boundingBox();
    const at = [box.x + 4 * 5 + 2, box.y + 4 * 9 + 2];
    await page.mouse.click(...at);
    await becomes(() => page.textContent('.readout'), /Head 3.*locked.*Query 9, key 5/);
    await page.mouse.click(...at);
    await becomes(() => page.textContent('.readout h3'), FREE);
  });
});
