/** Maps of weights times the lengths of their values, against float64. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productsOf, sum, weightsOf } from '../recompute.js';
import { close, go, launch, missing, opened, statements } from '../site.js';

/** In the page: each cell of the map of a head as its places in the legend, from 0 to 255. */
function placesOf(h) {
  const pixels = (canvas) => {
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    return new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer);
  };
  const legend = document.querySelector('.machine-right .legend');
  const colours = [...pixels(legend.querySelector('canvas'))];
  const map = document.querySelectorAll('.head canvas')[h];
  return {
    places: Array.from(pixels(map), (cell) =>
      colours.flatMap((colour, place) => (colour === cell ? [place] : [])),
    ),
    high: Number(legend.dataset.high),
  };
}

describe('weights times the lengths of values', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['many-heads'] });

  test('are painted, listed and told, with the sums of their rows', async () => {
    await go(page, '#x=value&h=5&at=20_3');
    const rows = productsOf(5);
    const { places, high } = await page.evaluate(placesOf, 5);
    rows.forEach((row, i) =>
      row.slice(0, i + 1).forEach((x, j) => {
        const place = Math.round(255 * Math.sqrt(x / high));
        const near = places[i * 32 + j];
        assert.ok(
          near.some((each) => Math.abs(each - place) <= 1),
          `${i}, ${j}: ${near} for ${x}`,
        );
      }),
    );
    const read = await page.$$eval('.readout dd', (all) =>
      all.map(({ dataset }) => [dataset.name, Number(dataset.value)]),
    );
    const told = Object.fromEntries(read);
    close(told['weight × length'], rows[20][3], 1e-4, 'the cell');
    close(told['length of the value'], rows[20][3] / weightsOf({}, 5)[20][3], 1e-6, 'its value');
    close(told['sum of the row'], sum(rows[20]), 1e-5, 'the sum');
    close(told['largest of the row'], Math.max(...rows[20]), 1e-4, 'the largest');
    assert.ok(told['length of the output'] < told['sum of the row']);
    assert.match(
      await page.textContent('.readout p:not(.habit)'),
      /^Query 20, key 3: weight \S+ × length \S+ = \S+, \d+\w+ of 21\.$/,
    );
    await page.focus('.pinned .map-cursor');
    await page.keyboard.press('t');
    const table = await page.$$eval('#many-heads-panel .map-table td:not(.masked)', (all) =>
      all.map(({ dataset }) => Number(dataset.value)),
    );
    await page.keyboard.press('t');
    const flat = rows.flatMap((row, i) => row.slice(0, i + 1));
    assert.equal(table.length, flat.length);
    flat.forEach((x, at) => close(table[at], x, 1e-4, `cell ${at} of the table`));
    const { seen, values } = await statements(page);
    assert.deepEqual([seen.verdict, values.verdict], ['holds', 'holds']);
  });
});
