/** The pictures of the shares and of the values: they show these, and fit their window. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attentionWeights, average, chooser, onCircle as on, VALUES } from '../recompute.js';
import { close, drawn, go, launch, missing, opened } from '../site.js';

/** In the page: dots, their lines and the diamond, and the boxes of names and of the picture. */
const read = (page) =>
  page.$eval('.mean > svg', (svg) => {
    const numbers = (each, names) => names.map((name) => Number(each.getAttribute(name)));
    const [x, y] = svg
      .querySelector('.answer')
      .getAttribute('d')
      .match(/[\d.]+/g)
      .map(Number);
    const boxOf = (each) => {
      const { left, right, top, bottom } = each.getBoundingClientRect();
      return { text: each.textContent, left, right, top, bottom };
    };
    return {
      dots: Object.fromEntries(
        [...svg.querySelectorAll('.dot')].map((dot) => [
          dot.dataset.word,
          numbers(dot, ['cx', 'cy', 'r', 'fill-opacity']),
        ]),
      ),
      lines: Object.fromEntries(
        [...svg.querySelectorAll('.edge')].map((line) => [
          line.dataset.word,
          numbers(line, ['stroke-width', 'x1', 'y1', 'x2', 'y2']),
        ]),
      ),
      answer: [x, y + 9],
      names: [...svg.querySelectorAll('text')].map(boxOf),
      frame: boxOf(svg),
    };
  });

describe('the picture of the values', { skip: missing }, () => {
  const random = chooser(39);
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['one-look'] });

  /** A state of the panel, its weights and its picture. */
  async function at(T) {
    const q = random.integer(0, 359);
    const k = Array.from({ length: 6 }, () => random.integer(0, 359));
    await go(page, `#heroT=${T}&heroQ=${q}&heroK=${k.join('_')}`);
    const { weights } = attentionWeights(on(q), k.map(on), T);
    return { weights, ...(await read(page)) };
  }

  for (const T of [0, 0.05, 0.3, 20, Infinity])
    test(`at T = ${T} has each value in its place, with its share as size and line`, async () => {
      const { weights, dots, lines, answer } = await at(T);
      assert.deepEqual(Object.keys(dots).sort(), ['Lily', 'She', 'a', 'ball', 'red', 'saw']);
      const words = ['Lily', 'saw', 'a', 'red', 'ball', 'She'];
      const placed = words.map((word) => dots[word]);
      // one scale for both directions, and up is up
      const unit = (placed[1][0] - placed[0][0]) / (VALUES[1][0] - VALUES[0][0]);
      placed.forEach(([x, y, r, opacity], j) => {
        close(x - placed[0][0], unit * (VALUES[j][0] - VALUES[0][0]), 0, `x of ${j}`, 1e-9);
        close(y - placed[0][1], unit * (VALUES[0][1] - VALUES[j][1]), 0, `y of ${j}`, 1e-9);
        close(r, Math.sqrt(60 + 900 * weights[j]), 0, `size of ${j}`, 1e-6);
        close(opacity ** 2, weights[j], 0, `opacity of ${j}`, 1e-9);
      });
      words.forEach((word, j) => {
        const [x, y, r] = placed[j];
        // a value under the diamond has no line
        if (Math.hypot(answer[0] - x, answer[1] - y) <= r)
          return assert.equal(lines[word], undefined, `the line of ${word}`);
        const [width, ...ends] = lines[word];
        close(width, 12 * weights[j], 0, `the line of ${word}`, 1e-9);
        close(Math.hypot(ends[2] - x, ends[3] - y), r, 0, `the end at ${word}`, 1e-6);
        close(Math.hypot(ends[0] - answer[0], ends[1] - answer[1]), 0, 0, `its other end`, 1e-6);
      });
      average(weights, placed)
        .slice(0, 2)
        .forEach((x, c) => close(answer[c], x, 0, `mean ${c}`, 1e-6));
    });

  test('says that a dot is larger for a larger share, not in proportion', async () => {
    const legend = await page.textContent('.mean .marks-legend');
    assert.match(legend, /a value, larger for a larger share/);
  });

  test('has no name on another one, and none is cut', async () => {
    for (const width of [320, 768, 1366]) {
      await page.setViewportSize({ width, height: 800 });
      await drawn(page);
      for (const T of [0, 0.05, 0.1, 0.2, 0.5, 2, Infinity]) {
        const { names, frame } = await at(T);
        assert.equal(names.length, 7);
        names.forEach((a, i) => {
          const within = a.left >= frame.left && a.right <= frame.right;
          assert.ok(
            within && a.top >= frame.top && a.bottom <= frame.bottom,
            `${a.text} is cut: ${page.url()}, ${width}`,
          );
          for (const b of names.slice(i + 1)) {
            const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            assert.ok(across <= 1 || down <= 4, `${page.url()}, ${width}: ${a.text} on ${b.text}`);
          }
        });
      }
    }
  });

  test('is seen with the circle and the temperature, on a laptop and on a phone', async () => {
    for (const [width, height] of [
      [1366, 700],
      [390, 800],
      [320, 800],
    ]) {
      await page.setViewportSize({ width, height });
      await page.locator('#depth-look').check();
      await drawn(page);
      const boxes = await page.$$eval(
        '.circle-frame, .mean > svg, #one-look-panel input[type=range]',
        (all) =>
          all.map((each) => each.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]),
      );
      assert.equal(boxes.length, 3);
      const tall = Math.max(...boxes.map(([, bottom]) => bottom)) - boxes[0][0];
      assert.ok(tall <= height, `${tall} of ${height}`);
    }
    await page.locator('#depth-doubt').check();
  });

  test('follows the query by the keyboard, which tells its numbers', async () => {
    await go(page, '#');
    const before = (await read(page)).answer;
    await page.focus('.handle.query');
    await page.keyboard.press('PageUp');
    await drawn(page);
    const { answer } = await read(page);
    assert.ok(Math.hypot(answer[0] - before[0], answer[1] - before[1]) > 5);
    const { weights } = attentionWeights(on(68), [12, 165, 235, 310, 100, 58].map(on), 0.22);
    const [across, up] = average(weights, VALUES).map((x) => String(Number(x.toPrecision(3))));
    const told = await page.getAttribute('.handle.query', 'aria-valuetext');
    assert.equal(told.replaceAll('−', '-'), `68 degrees, output ${across} across and ${up} up`);
    const label = await page.getAttribute('.mean > svg', 'aria-label');
    assert.ok(label.replaceAll('−', '-').endsWith(`Their mean: ${across} across and ${up} up.`));
    await go(page, '#');
  });

  test('stands beside bars whose words keep apart, and whose shares are rounded', async () => {
    const clashes = await page.evaluate(async () => {
      const { Bars } = await import('./panels/one-look/bars.js');
      const place = document.body.appendChild(document.createElement('div'));
      const clashes = [];
      for (const width of [270, 330, 620]) {
        place.style.width = `${width}px`;
        const bars = new Bars(['a', 'b', 'c', 'd']);
        place.replaceChildren(bars.element);
        bars.width = width;
        const words = ['wanted', 'yesterday', 'I', 'friendship', 'beautiful', 'together'];
        bars.show(
          [1, 2, 3, 4].map(() => [0.3, 0.2, 0.2, 0.1, 0.1999, 0.0001]),
          words,
        );
        const texts = [...bars.element.querySelectorAll('text.strong')];
        const boxes = texts.map((each) => each.getBoundingClientRect());
        boxes.forEach((box, j) => {
          if (j && box.left < boxes[j - 1].right) clashes.push([width, words[j]]);
        });
      }
      place.remove();
      return clashes;
    });
    assert.deepEqual(clashes, []);
    assert.match(await page.textContent('.bars figcaption'), /rounded\. Together they are 1\./);
  });
});
