/** The names of the keys at the circle: each one can be read, however near the keys lie. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CIRCLE } from '../../../web/math/example.js';
import { circleOf } from '../../../web/panels/one-look/compute.js';
import { placeKeyNames } from '../../../web/panels/one-look/key-names.js';
import { attentionWeights, chooser, onCircle as on } from '../recompute.js';
import { becomes } from '../../support/web/becomes.js';
import { go, launch, missing, opened } from '../site.js';

const LILY = ['Lily', 'saw', 'a', 'red', 'ball', 'She'];
const LONG = ['wanted', 'yesterday', 'I', 'friendship', 'mmmmmm', 'together'];

/** A circle: the directions, and the words of its keys. */
function states() {
  const random = chooser(61);
  const angle = () => random.integer(0, 359);
  const example = { q: CIRCLE.query, k: CIRCLE.keys, T: CIRCLE.T };
  const rows = [2, 3, 4, 5, 6].map((n) =>
    circleOf(
      Array.from({ length: n }, () => random.integer(-40, 40) / 10),
      1,
    ),
  );
  const near = [0, 90, 200].map((q) => ({ q, k: [0, 2, 4, 6, 8, 10].map((by) => q + by), T: 1 }));
  const same = [45, 270].map((q) => ({ q, k: Array(6).fill(q), T: Infinity }));
  const others = [0, 0.2, 20].map((T) => ({ q: angle(), k: LILY.map(angle), T }));
  return [example, ...rows, ...near, ...same, ...others].flatMap(({ q, k, T }) =>
    [LILY, LONG].map((words) => {
      const keys = [...k].map(on);
      const query = on(Number(q));
      const { weights } = attentionWeights(query, keys, T);
      return { query, keys, T, weights: [...weights], words: words.slice(0, keys.length) };
    }),
  );
}

/** Names that share a place, or leave the frame. */
const faults = (boxes, frame, where) =>
  boxes.flatMap((a, i) => [
    ...(a.left < frame.left || a.right > frame.right || a.top < frame.top || a.bottom > frame.bottom
      ? [`${where}: ${a.text} is cut`]
      : []),
    ...boxes
      .slice(i + 1)
      .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
      .map((b) => `${where}: ${a.text} on ${b.text}`),
  ]);

test('the places of names keep apart, at any size of the circle', () => {
  const found = [500, 388, 350, 288].flatMap((side) => {
    const at = ([x, y], r) => ({ x: side * (0.5 + 0.375 * x), y: side * (0.5 - 0.375 * y), r });
    return states().flatMap(({ query, keys, weights, words }, s) => {
      const dots = keys.map((key, j) => ({
        ...at(key, Math.sqrt(60 + 900 * weights[j])),
        share: weights[j],
        text: words[j],
      }));
      const boxes = placeKeyNames(dots, at(query, 15), side);
      const named = boxes.map((box, j) => ({ ...box, text: words[j] }));
      return faults(named, { left: 0, top: 0, right: side, bottom: side }, `${s} of ${side}`);
    });
  });
  assert.deepEqual(found, []);
});

describe('the names of the keys', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['one-look'] });

  for (const width of [1280, 390, 320])
    test(`none lies on another one, and none is cut, on a screen of ${width} pixels`, async () => {
      await page.setViewportSize({ width, height: 800 });
      const drawn = await page.evaluate(async (all) => {
        const { Circle } = await import('./panels/one-look/circle.js');
        const place = document.querySelector('.hero-left');
        const old = place.querySelector('.circle');
        const circle = new Circle({ turnQuery() {}, turnKey() {} });
        old.replaceWith(circle.element);
        await new Promise((done) => setTimeout(done, 200));
        const boxOf = (each) => {
          const { left, right, top, bottom } = each.getBoundingClientRect();
          return { text: each.textContent, left, right, top, bottom };
        };
        const found = all.map(({ query, keys, T, weights, words }) => {
          const k = Float64Array.from(keys.flat());
          const q = Float64Array.from(query);
          const shown = { q, k, sigma2: T * Math.SQRT2, routes: [weights], output: [0, 0] };
          const angles = keys.map(() => 0);
          circle.show(shown, words, 0, angles);
          const texts = [...circle.element.querySelectorAll('.handle.key text')];
          const boxes = texts.map(boxOf).slice(0, words.length);
          return { boxes, frame: boxOf(circle.element.querySelector('.circle-frame')) };
        });
        circle.element.replaceWith(old);
        return found;
      }, states());
      assert.ok(drawn.length >= 28);
      assert.ok(drawn.every(({ boxes }) => boxes.every((box) => box.right - box.left > 2)));
      assert.deepEqual(
        drawn.flatMap(({ boxes, frame }, s) => faults(boxes, frame, `state ${s}`)),
        [],
      );
    });

  // a hidden ring with a hundred thousand dashes took a quarter of a second to be looked for
  for (const [T, rings] of [
    ['0', 0],
    ['0.22', 2],
    ['1.5', 1],
    ['Infinity', 0],
  ])
    test(`at T = ${T} it has the ${rings} rings that can be seen`, async () => {
      await go(page, `#one-look?v=1&heroT=${T}`);
      const radii = () =>
        page.$$eval('.ring', (all) => all.map(({ r }) => r.baseVal.value).filter(Boolean));
      await becomes(async () => (await radii()).length, rings);
      assert.ok((await radii()).every((r) => r < 1000));
    });
});
