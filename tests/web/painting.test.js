/** The colours: legends, pixels, masks, NaN, pooling. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productsOf, weightsOf } from './recompute.js';
import { close, go, launch, missing, opened, shoot, statements } from './site.js';

const PANELS = ['many-heads', 'distance'];

/** Own reading of the nine stops of each theme, to know what a pixel should be. */
const stops = (text) =>
  text.split(' ').map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
const STOPS = {
  light: stops('#FCFAF6 #F6DCB4 #F2B279 #E98158 #CE5057 #A33266 #6F2467 #3D1857 #141032'),
  dark: stops('#15171D #2A2252 #5A2975 #972F78 #C84869 #E97156 #F4A55B #F5D68B #FCF9D2'),
};

/** The pixels of head h's map, as [r, g, b, a]. */
const pixels = (page, h) =>
  page.evaluate((h) => {
    const { width, height } = document.querySelectorAll('.head canvas')[h];
    const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(document.querySelectorAll('.head canvas')[h], 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    return {
      width,
      cells: Array.from({ length: data.length / 4 }, (_, at) => [
        ...data.subarray(4 * at, 4 * at + 4),
      ]),
    };
  }, h);

/** Of all heads in the beginning: each weight with its number of keys, and weights × lengths. */
const all = Array.from({ length: 8 }, (_, h) => weightsOf({}, h)).flatMap((head) =>
  head.flatMap((row, i) => row.slice(0, i + 1).map((p) => ({ p, n: i + 1 }))),
);
const moved = Array.from({ length: 8 }, (_, h) => productsOf(h)).flat(2);

describe('the maps', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: PANELS });

  for (const kind of ['linear', 'sqrt', 'log', 'uniform', 'share', 'value']) {
    test(`the legend of the ${kind} scale prints the domain of the painted values`, async () => {
      await go(page, `#x=${kind}`);
      const legend = await page.$eval('.machine-right .legend', (element) => ({
        ...element.dataset,
        ticks: [...element.querySelectorAll('text')].map((text) => text.textContent),
        name: element.getAttribute('aria-label'),
        edges: [...element.querySelectorAll('text')]
          .map((text) => text.getBoundingClientRect())
          .map(({ left, right }) => [left, right]),
      }));
      legend.edges
        .slice(1)
        .forEach(([left], i) =>
          assert.ok(
            left > legend.edges[i][1],
            `${legend.ticks[i + 1]} is clear of ${legend.ticks[i]}`,
          ),
        );
      const max = Math.max(...all.map(({ p }) => p));
      const M = Math.ceil(Math.log2(Math.max(...all.map(({ p, n }) => p * n))));
      const shares = all.map(({ p, n }) => p * Math.log(p * n));
      const [min, share] = [Math.min(...shares), Math.max(...shares)];
      const [low, high] = {
        linear: [0, max],
        sqrt: [0, max],
        log: [1e-5, 1],
        uniform: [-M, M],
        share: [min, share],
        value: [0, Math.max(...moved)],
      }[kind];
      assert.equal(legend.kind, kind);
      close(Number(legend.low), low, 1e-4, 'low end');
      close(Number(legend.high), high, 1e-4, 'high end');
      const first = legend.ticks[0];
      const last = legend.ticks.at(-1);
      const printed = {
        linear: ['0', max],
        sqrt: ['0', max],
        log: ['≤ 10⁻⁵', 1],
        uniform: [`≤ 1/${2 ** M}`, 2 ** M],
        share: [`−${Number((-min).toPrecision(3))}`, share],
        value: ['0', Math.max(...moved)],
      }[kind];
      assert.equal(first, printed[0]);
      close(Number(last), printed[1], 1e-2, 'the last tick');
      assert.match(
        legend.name,
        new RegExp(`from ${first.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')} to ${last}`),
      );
    });
  }

  test('pixels: a KL share shows its sign and its size, on either side of 0', async () => {
    await go(page, '#x=share');
    const ends = [];
    for (let h = 0; h < 8; h++) {
      const { cells } = await pixels(page, h);
      weightsOf({}, h).forEach((row, i) =>
        row
          .slice(0, i + 1)
          .forEach((p, j) =>
            ends.push({ share: p * Math.log(p * (i + 1)), cell: cells[i * 32 + j] }),
          ),
      );
    }
    ends.sort((a, b) => a.share - b.share);
    for (const [share, hex] of [
      [ends[0].share, '#003C79'],
      [ends[0].share / 2, '#5A8ED1'],
      [0, '#FBFAF7'],
      [ends.at(-1).share / 2, '#C67352'],
      [ends.at(-1).share, '#692300'],
    ]) {
      const [r, g, b] = ends.reduce((best, each) =>
        Math.abs(each.share - share) < Math.abs(best.share - share) ? each : best,
      ).cell;
      [r, g, b].forEach((channel, c) =>
        assert.ok(
          Math.abs(channel - parseInt(hex.slice(1 + 2 * c, 3 + 2 * c), 16)) <= 12,
          `${share}: ${[r, g, b]} instead of ${hex}`,
        ),
      );
    }
  });

  for (const colorScheme of ['dark', 'light'])
    test(`pixels: weights are coloured, masked cells are not, ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme });
      await go(page, '#x=linear&T=0.05');
      const { width, cells } = await pixels(page, 0);
      const max = Number(await page.getAttribute('.machine-right .legend', 'data-high'));
      assert.equal(width, 32);
      let ends = 0;
      weightsOf({ T: 0.05 }, 0).forEach((row, i) =>
        row.forEach((p, j) => {
          const cell = cells[i * 32 + j];
          const place = (p / max) * 8;
          const stop = Math.round(place);
          if (j > i) return assert.equal(cell[3], 0, `masked ${i}, ${j}`);
          assert.equal(cell[3], 255);
          if (Math.abs(place - stop) > 0.01) return;
          ends++;
          const near = STOPS[colorScheme][stop];
          const apart = Math.max(...near.map((channel, c) => Math.abs(cell[c] - channel)));
          assert.ok(apart <= 6, `${i}, ${j}: ${cell} for ${p}, near ${near}`);
        }),
      );
      assert.ok(ends > 100, `${ends} cells lie on a stop`);
    });

  test('the legend tells masked cells from weights that are too small', async () => {
    await go(page, '#x=linear');
    assert.equal(
      await page.textContent('.machine-right .legend-extra'),
      'Hatched: masked, weight exactly 0.',
    );
    await go(page, '#x=linear&T=0.01');
    const extra = await page.textContent('.machine-right .legend-extra');
    const [, zeros] =
      extra.match(/Not hatched, painted as 0: (\d+) weights too small for float32\./) ??
      assert.fail(extra);
    // Below e^−87.3 of its row's largest a weight is 0 in float32.
    const small = Array.from({ length: 8 }, (_, h) => weightsOf({ T: 0.01 }, h))
      .flatMap((head) =>
        head.flatMap((row, i) => row.slice(0, i + 1).map((p) => p / Math.max(...row))),
      )
      .filter((ratio) => ratio < Math.exp(-87.33654)).length;
    close(Number(zeros), small, 0.01, 'weights that underflow');
  });

  test('a NaN is painted in its own colour where it was read, and nowhere else', async () => {
    await go(page, '#nan=9&H=4&G=2');
    for (const h of [0, 1, 2]) {
      const { cells } = await pixels(page, h);
      cells.forEach((cell, at) => {
        const [i, j] = [Math.floor(at / 32), at % 32];
        const poisoned = h < 2 && i >= 9 && j <= i;
        assert.equal(cell.join() === '57,255,20,255', poisoned, `head ${h}, ${i}, ${j}: ${cell}`);
      });
    }
    assert.equal(await page.locator('.head figcaption').first().textContent(), '23 of 32 rows NaN');
    const { C2 } = await statements(page);
    assert.equal(C2.verdict, 'holds');
    assert.equal(C2.poisoned, 46);
    await shoot(page, 'nan');
  });

  test('a bell far below the smallest float64 is still a curve with its dots on it', async () => {
    for (const [fragment, decades] of [
      ['#kT=1', 0],
      ['#kT=0.01', 2],
      ['#kT=0.001', 20],
      ['#kT=0.001&nq=0', 1000],
    ]) {
      await go(page, fragment);
      const { words, ends, drop, height } = await page.$eval('.bell svg', (svg) => {
        const box = svg.querySelector('.curve').getBBox();
        const exponents = [...svg.querySelectorAll('.axes text[text-anchor="end"]')].map(
          ({ textContent }) =>
            Number(
              textContent
                .replace(/^10(?=[⁻⁰¹-⁹])/, '')
                .replace(/./g, (c) => '0123456789-'['⁰¹²³⁴⁵⁶⁷⁸⁹⁻'.indexOf(c)] ?? c),
            ),
        );
        return {
          words: svg.textContent,
          ends: exponents.filter(Number.isFinite),
          drop: box.height,
          height: svg.getBoundingClientRect().height,
        };
      });
      assert.equal(words.includes('logarithmic'), decades > 0, fragment);
      assert.ok(drop > 0.65 * height, `${fragment}: the curve falls by ${drop} pixels`);
      if (decades)
        assert.ok(Math.max(...ends) - Math.min(...ends) >= decades, `${fragment}: ${ends}`);
      const hanging = await page.$$eval('.two-legends .legend-bar', (all) =>
        all.flatMap((bar) => {
          const left = bar.querySelector('canvas').getBoundingClientRect().left;
          return [...bar.querySelectorAll('text')]
            .map((text) => left - text.getBoundingClientRect().left)
            .filter((over) => over > 20);
        }),
      );
      assert.deepEqual(hanging, [], fragment);
    }
    await go(page, '#');
  });

  test('cells smaller than a pixel are pooled by their largest weight', async () => {
    await go(page, '#H=2&G=1&n=256&d=8&T=0.05&x=linear');
    const weights = weightsOf({ H: 2, G: 1, n: 256, d: 8, T: 0.05 }, 0);
    const { width, cells } = await pixels(page, 0);
    assert.ok(width < 256);
    const pool = Math.ceil(256 / width);
    const dark = (cell) => cell[3] === 255 && cell[0] + cell[1] + cell[2] < 140;
    let lone = 0;
    weights.forEach((row, i) =>
      row.forEach((p, j) => {
        if (p < 0.95) return;
        lone++;
        assert.ok(dark(cells[Math.floor(i / pool) * width + Math.floor(j / pool)]), `${i}, ${j}`);
      }),
    );
    assert.ok(lone > 0);
    await go(page, '#');
  });
});
