/** The slope of softmax at the row on show, against float64 eigenvalues by Jacobi’s rotations. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CIRCLE } from '../../../web/math/example.js';
import { attentionWeights } from '../recompute.js';
import { close, drawn, everything, go, launch, missing, opened, served } from '../site.js';
import { drawn as framed, openLook, PANEL, shown } from '../look/page.js';

/** The scores of the page’s example, whose keys have one channel here. */
const SCORES = CIRCLE.keys.map(
  (key) => Math.cos(((key - CIRCLE.query) * Math.PI) / 180) / Math.SQRT2,
);

/** The eigenvalues of (Diag p − ppᵀ)/T, the smallest first. */
function slopes(p, T) {
  const n = p.length;
  const A = p.map((x, i) => p.map((y, j) => ((i === j ? x : 0) - x * y) / T));
  for (let sweep = 0; sweep < 30; sweep++)
    for (let i = 0; i < n; i++)
      for (let j = i + 1; j < n; j++) {
        if (Math.abs(A[i][j]) < 1e-300) continue;
        const angle = 0.5 * Math.atan2(2 * A[i][j], A[j][j] - A[i][i]);
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        for (const row of A) [row[i], row[j]] = [c * row[i] - s * row[j], s * row[i] + c * row[j]];
        const [a, b] = [A[i], A[j]];
        [A[i], A[j]] = [a.map((x, k) => c * x - s * b[k]), a.map((x, k) => s * x + c * b[k])];
      }
  return A.map((row, i) => row[i]).sort((a, b) => a - b);
}

const values = (page, of) =>
  page.$$eval(`.spectrum ${of}`, (all) => all.map(({ dataset }) => Number(dataset.value)));
const bars = (page) => values(page, '.slope');

/** In the page: the edges of drawn parts. @param {import('playwright').Page} page */
const edges = (page, of) =>
  page.$$eval(`#push ${of}`, (all) => all.map((one) => one.getBoundingClientRect().toJSON()));

/** @param {number[]} values @param {number[]} expected @param {number} tolerance */
const same = (values, expected, tolerance) => {
  assert.equal(values.length, expected.length);
  values.forEach((value, at) => close(value, expected[at], 0, `bar ${at}`, tolerance));
};

describe('the slope of a look', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['push'] });

  test('has its marks for a reader who does not only look', async () => {
    const shown = () =>
      page.$$eval('.tick-weight', (all) => all.filter((mark) => mark.checkVisibility()).length);
    await page.locator('#depth-look').check();
    assert.equal(await shown(), 0);
    await page.locator('#depth-doubt').check();
    assert.equal(await shown(), SCORES.length);
  });

  for (const T of [1, 0.25, 10])
    test(`has the eigenvalues of float64 at T = ${T}, none above the line`, async () => {
      await go(page, `#pushT=${T}`);
      const { weights } = attentionWeights(
        [1],
        SCORES.map((score) => [score]),
        T,
      );
      const found = await bars(page);
      same(found, slopes(weights, T), 1e-14);
      assert.ok(found.every((each) => each <= 1 / (2 * T)));
      const [line, highest] = await page.evaluate(() => [
        document.querySelector('.spectrum .wall').getBoundingClientRect().top,
        Math.min(
          ...[...document.querySelectorAll('.spectrum .slope')].map(
            (bar) => bar.getBoundingClientRect().top,
          ),
        ),
      ]);
      assert.ok(highest >= line, 'nor is one drawn above it');
      const marks = await values(page, '.tick-weight');
      same(
        marks,
        [...weights].sort((a, b) => a - b).map((p) => p / T),
        1e-14,
      );
      found.forEach((bar, at) => assert.ok(bar <= marks[at] && (!at || bar >= marks[at - 1])));
      const drawnBars = await edges(page, '.slope');
      const drawnMarks = await edges(page, '.tick-weight');
      drawnBars.forEach(({ top, left, right }, at) => {
        const [before, behind] = [drawnMarks[at - 1], drawnMarks[at]];
        assert.ok(behind.top <= top + 0.1 && behind.left >= right - 0.1, `bar ${at}`);
        if (at) assert.ok(before.top >= top - 0.1 && before.right <= left + 0.1, `bar ${at}`);
      });
      for (const of of ['.spectrum', '.pushes']) {
        const [picture] = await edges(page, `${of} svg`);
        for (const one of [
          ...(await edges(page, `${of} .other-bound`)),
          ...(await edges(page, `${of} .tick-weight`)),
        ])
          assert.ok(
            one.left >= picture.left && one.right <= picture.right && one.top >= picture.top,
            `${of} from ${one.left} to ${one.right}`,
          );
        const caption = await page.textContent(`#push ${of} figcaption`);
        assert.match(caption, /dashed line is (the bound )?1\/T/);
        if (of === '.spectrum') assert.match(caption, new RegExp(` At T = ${T} that is `));
      }
    });
});

describe('the slope of a row of the model', { skip: missing }, () => {
  let browser;
  let site;
  served((started) => ({ browser, site } = started), launch, { panels: ['look', 'push'] });

  test('is that of the best of its weights', async () => {
    const { page } = await openLook(browser, site, '#look?lookPrompt=abcdefghijklm');
    await everything(page);
    await page.locator(`${PANEL} .token`).nth(9).click();
    await page.mouse.move(2, 2);
    await framed(page);
    await page.waitForFunction(() =>
      /^The row: layer/.test(document.querySelector('#push .crumb')?.textContent),
    );
    await drawn(page);
    const best = (await shown(page)).weights.sort((a, b) => b - a).slice(0, 6);
    const sum = best.reduce((a, b) => a + b);
    same(
      await bars(page),
      slopes(
        best.map((p) => p / sum),
        1,
      ),
      2e-6,
    );
    await page.close();
  });
});
