/**
 * Over ten thousand numbers that the page shows, in thirty states, once more by the float64 of the
 * tests: none is wrong.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  attentionWeights,
  average,
  chooser,
  onCircle as on,
  softmax,
  sum,
  VALUES,
  weightsOf,
} from './recompute.js';
import { go, launch, missing, opened, statements } from './site.js';

const PANELS = ['one-look', 'many-heads', 'trust', 'commitment', 'compromise'];
const STATES = 30;
const WORDS = ['Lily', 'saw', 'a', 'red', 'ball', 'She'];

/** Of the circle that the page begins with: a query at 38 degrees. */
const SCORES = [12, 165, 235, 310, 100, 58].map((key) => on(key - 38)[0] / Math.SQRT2);
const nats = (p, q) => sum(p.map((x, j) => (x > 0 ? x * Math.log(x / q[j]) : 0)));
const score = (p, z) => sum(p.map((x, j) => x * z[j]));

/** A state of the panels: settings of the heads, and of the panels of one row. */
function draw(random) {
  const heads = {
    H: random.pick([2, 4]),
    G: random.pick([1, 2]),
    n: random.integer(19, 21),
    d: random.pick([4, 16]),
    T: random.factor(0.3, 8),
    causal: false,
    seed: random.integer(0, 1e6),
  };
  const row = {
    heroT: random.factor(0.05, 20),
    heroQ: random.integer(0, 359),
    heroK: Array.from({ length: 6 }, () => random.integer(0, 359)),
    trustT: random.factor(0.2, 10),
    trustV: Array.from({ length: 6 }, () => random.integer(-40, 40) / 10),
    budget: random.integer(1, 99) / 100,
    mixT: random.factor(0.1, 10),
    mix: [random.integer(0, 5) / 10, random.integer(0, 5) / 10],
  };
  const { H, G, n, d, T, seed } = heads;
  const link = Object.entries({ H, G, n, d, T, c: 0, seed, h: 1, ...row });
  const settings = link.map(([name, value]) => `${name}=${[value].flat().join('_')}`);
  return { heads, row, link: `#${settings.join('&')}` };
}

/** The numbers that the page shows, in full. */
const read = (page) =>
  page.evaluate(() => {
    const numbers = (selector) =>
      [...document.querySelectorAll(selector)].map(({ dataset }) => Number(dataset.value));
    return {
      table: numbers('#many-heads-panel .map-table td'),
      captions: [...document.querySelectorAll('#many-heads-panel .head figcaption')].map(
        ({ dataset }) => [Number(dataset.rho), Number(dataset.entropy)],
      ),
      routes: numbers('td[data-route]'),
      values: numbers('.values td'),
      witnesses: numbers('.witnesses .strong'),
      answer: numbers('.witnesses .answer'),
      bars: numbers('#commitment-panel .word-bars data').slice(0, 6),
      sides: numbers('.two-sides dd'),
    };
  });

/** @param {(what: string, told: number, expected: number, tolerance: number) => void} check */
function compareHeads({ H, n, T, ...rest }, { table, captions }, check) {
  const weights = weightsOf({ H, n, T, ...rest }, 1).flat();
  assert.equal(table.length, n * n, 'the table is of the head on show');
  weights.forEach((p, i) => check(`cell ${i}`, table[i], p, 2e-5 * (1 + 1 / T)));
  for (let h = 0; h < H; h++) {
    const rows = weightsOf({ H, n, T, ...rest }, h);
    const entropy = sum(rows.map((p) => -sum(p.map((x) => x * Math.log(x))))) / n;
    check(`ρ of head ${h}`, captions[h][0], Math.log(n) - entropy, 1e-4);
    check(`H of head ${h}`, captions[h][1], entropy, 1e-4);
  }
}

/** The panels of one row. */
function compareRow(row, shown, told, check) {
  const { weights: circle } = attentionWeights(on(row.heroQ), row.heroK.map(on), row.heroT);
  shown.routes.forEach((p, i) =>
    check(`one look ${i}`, p, circle[Math.floor(i / 4)], i % 4 === 3 ? 1e-6 : 1e-12),
  );
  const values = [...VALUES, average(circle, VALUES)].flat();
  values.forEach((x, i) => check(`value ${i}`, shown.values[i], x, 1e-12));

  const trust = softmax(SCORES.map((z) => z / row.trustT)).weights;
  trust.forEach((p, j) => check(`witness ${j}`, shown.witnesses[j], p, 1e-13));
  check('the answer', shown.answer[0], score(trust, row.trustV), 1e-12);

  const spent = softmax(SCORES.map((z) => z / told.temperature)).weights;
  const even = SCORES.map(() => 1 / 6);
  spent.forEach((p, j) => check(`share of ${WORDS[j]}`, shown.bars[j], p, 1e-12));
  check('the budget', told.rho, nats(spent, even), 1e-12);
  check('the budget asked for', told.rho, row.budget * Math.log(6), 1e-9);
  check('the score', told.score, score(spent, SCORES), 1e-12);

  const rest = row.mixT * softmax(SCORES.slice(1, 5).map((z) => z / row.mixT)).lse;
  const best = softmax([SCORES[0], SCORES[5], rest].map((z) => z / row.mixT)).weights;
  const [a, b] = row.mix;
  const gap = row.mixT * nats([a, b, 1 - a - b], best);
  shown.sides.forEach((x, i) => check(`side ${i} of the gap`, x, gap, 1e-10 * (1 + gap)));
}

describe('the numbers of the page', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: PANELS });

  test('are right, all of more than ten thousand in thirty states', async (t) => {
    const random = chooser(4);
    const wrong = [];
    let seen = 0;
    await page.focus('.pinned .map-cursor');
    await page.keyboard.press('t');
    for (let state = 0; state < STATES; state++) {
      const { heads, row, link } = draw(random);
      const check = (what, told, expected, tolerance) => {
        seen++;
        if (!(Math.abs(told - expected) <= tolerance))
          wrong.push(`state ${state}, ${what}: ${told}, not ${expected}`);
      };
      await go(page, link);
      const shown = await read(page);
      compareHeads(heads, shown, check);
      compareRow(row, shown, (await statements(page)).C11, check);
    }
    t.diagnostic(`${seen} numbers in ${STATES} states, ${wrong.length} wrong`);
    assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} of ${seen} are wrong`);
    assert.ok(seen >= 10000, `${seen} numbers`);
  });
});
