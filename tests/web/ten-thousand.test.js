/**
 * Over ten thousand numbers that the page shows, in thirty states, once more by the float64 of the
 * tests: none is wrong.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attentionWeights, chooser, softmax, sum, weightsOf } from './recompute.js';
import { go, missing, opened, statements } from './site.js';

const STATES = 30;
const WORDS = ['Lily', 'saw', 'a', 'red', 'ball', 'She'];
const SCORES = [1.9, 0.1, -0.7, 0.4, 1.3, 2.3];

const on = (degrees) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
const nats = (p, q) => sum(p.map((x, j) => (x > 0 ? x * Math.log(x / q[j]) : 0)));
const score = (p, z) => sum(p.map((x, j) => x * z[j]));

describe('the numbers of the page', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited));

  test('are right, all of more than ten thousand in thirty states', async () => {
    const random = chooser(4);
    let seen = 0;
    const wrong = [];
    const check = (what, told, expected, tolerance) => {
      seen++;
      if (!(Math.abs(told - expected) <= tolerance))
        wrong.push(`${what}: ${told}, not ${expected}`);
    };
    await page.focus('.pinned .map-cursor');
    await page.keyboard.press('t');
    for (let state = 0; state < STATES; state++) {
      const setting = {
        H: random.pick([2, 4]),
        G: random.pick([1, 2]),
        n: random.integer(19, 21),
        d: random.pick([4, 16]),
        T: random.factor(0.3, 8),
        causal: false,
        seed: random.integer(0, 1e6),
      };
      const { H, G, n, d, T, seed } = setting;
      const own = {
        heroT: random.factor(0.05, 20),
        heroQ: random.integer(0, 359),
        heroK: Array.from({ length: 6 }, () => random.integer(0, 359)),
        trustT: random.factor(0.2, 10),
        trustV: Array.from({ length: 5 }, () => random.integer(-40, 40) / 10),
        budget: random.integer(1, 99) / 100,
        mixT: random.factor(0.1, 10),
        mix: [random.integer(0, 5) / 10, random.integer(0, 5) / 10],
      };
      const link = Object.entries({ H, G, n, d, T, c: 0, seed, h: 1, ...own });
      await go(page, `#${link.map(([k, v]) => `${k}=${[v].flat().join('_')}`).join('&')}`);
      const shown = await page.evaluate(() => {
        const numbers = (selector) =>
          [...document.querySelectorAll(selector)].map(({ dataset }) => Number(dataset.value));
        return {
          table: numbers('#many-heads-panel .map-table td'),
          heads: [...document.querySelectorAll('.head figcaption')].map(({ dataset }) => [
            Number(dataset.rho),
            Number(dataset.entropy),
          ]),
          routes: numbers('td[data-route]'),
          witnesses: numbers('.witnesses .strong'),
          answer: numbers('.witnesses .answer'),
          bars: numbers('.word-bars data').slice(0, 6),
          sides: numbers('.two-sides dd'),
        };
      });
      const at = `state ${state}`;

      const weights = weightsOf(setting, 1).flat();
      assert.equal(shown.table.length, n * n, `${at}: the table is of the head on show`);
      weights.forEach((p, i) => check(`${at}, cell ${i}`, shown.table[i], p, 2e-5 * (1 + 1 / T)));
      for (let h = 0; h < H; h++) {
        const rows = weightsOf(setting, h);
        const entropy = sum(rows.map((p) => -sum(p.map((x) => x * Math.log(x))))) / n;
        check(`${at}, ρ of head ${h}`, shown.heads[h][0], Math.log(n) - entropy, 1e-4);
        check(`${at}, H of head ${h}`, shown.heads[h][1], entropy, 1e-4);
      }

      const { weights: circle } = attentionWeights(on(own.heroQ), own.heroK.map(on), own.heroT);
      shown.routes.forEach((p, i) =>
        check(`${at}, one look ${i}`, p, circle[Math.floor(i / 4)], i % 4 === 3 ? 1e-6 : 1e-12),
      );

      const trust = softmax(SCORES.slice(1).map((z) => z / own.trustT)).weights;
      trust.forEach((p, j) => check(`${at}, witness ${j}`, shown.witnesses[j], p, 1e-13));
      check(`${at}, answer`, shown.answer[0], score(trust, own.trustV), 1e-12);

      const told = await statements(page);
      const spent = softmax(SCORES.map((z) => z / told.C11.temperature)).weights;
      const even = SCORES.map(() => 1 / 6);
      spent.forEach((p, j) => check(`${at}, share of ${WORDS[j]}`, shown.bars[j], p, 1e-12));
      check(`${at}, budget`, told.C11.rho, nats(spent, even), 1e-12);
      check(`${at}, budget asked for`, told.C11.rho, own.budget * Math.log(6), 1e-9);
      check(`${at}, score`, told.C11.score, score(spent, SCORES), 1e-12);

      const rest = own.mixT * softmax([0.1, -0.7, 0.4, 1.3].map((z) => z / own.mixT)).lse;
      const z = [1.9, 2.3, rest];
      const best = softmax(z.map((x) => x / own.mixT)).weights;
      const [a, b] = own.mix;
      const gap = own.mixT * nats([a, b, 1 - a - b], best);
      shown.sides.forEach((x, i) => check(`${at}, side ${i}`, x, gap, 1e-10 * (1 + gap)));
    }
    assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} of ${seen} are wrong`);
    assert.ok(seen >= 10000, `${seen} numbers`);
  });
});
