/**
 * The numbers on the page are those of its inputs, its angles and the note. They are the same in
 * every browser: page.test.js compares their bits, and a long run the rest.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gaussianInputs, headInputs, unitRows } from '../../web/math/data.js';
import { repeats } from '../support/campaign.js';
import {
  attentionWeights,
  average,
  chooser,
  difference,
  gaussianWeights,
  onCircle as on,
  rows,
  sum,
  VALUES,
} from './recompute.js';
import { ask } from './browsers.js';
import { browsers, close, go, opened, statements } from './site.js';

const PANELS = ['one-look', 'many-heads', 'distance'];

for (const { name, missing, launch } of repeats(browsers.slice(0, 1), browsers))
  describe(`the numbers in ${name}`, { skip: missing }, () => {
    let page;
    opened((visited) => ({ page } = visited), launch, { panels: PANELS });

    test('the inputs of a seed are the same bits everywhere', async () => {
      const checksum = (array) =>
        new Uint32Array(array.buffer).reduce(
          (a, word) => Math.imul(a ^ word, 0x01000193) >>> 0,
          0x811c9dc5,
        );
      const pinned = [595297098, 574895812, 1016593564, 3236839700, 2660348736, 1908161460];
      const { q, k, v } = headInputs({ seed: 7, H: 8, G: 4, n: 32, d: 64, kind: 'patterns' });
      const plain = gaussianInputs({ seed: 7, n: 32, d: 64, dv: 16 });
      assert.deepEqual([q, k, v, plain.q, plain.k, plain.v].map(checksum), pinned);
      const here = await page.evaluate(async () =>
        Array.from(
          (await import('./math/data.js')).headInputs({
            seed: 7,
            H: 8,
            G: 4,
            n: 32,
            d: 64,
            kind: 'patterns',
          }).k,
        ),
      );
      assert.deepEqual(here, Array.from(k), 'and in the browser');
      const moments = [
        sum(plain.q) / plain.q.length,
        sum(plain.q.map((x) => x * x)) / plain.q.length,
      ];
      close(moments[0], 0, 0, 'mean', 0.1);
      close(moments[1], 1, 0, 'variance', 0.1);
    });

    test('the hero’s four routes are the weights of its angles', async () => {
      const random = chooser(11);
      for (let state = 0; state < 12; state++) {
        const T = [0.05, 20, 0.22, 0, Infinity][state] ?? random.factor(0.05, 20);
        const q = random.integer(0, 359);
        const k = Array.from({ length: 6 }, () => (state === 5 ? 90 : random.integer(0, 359)));
        await go(page, `#heroT=${T}&heroQ=${q}&heroK=${k.join('_')}`);
        const { weights, entropy, kl, lse } = attentionWeights(on(q), k.map(on), T);
        const cells = await page.$$eval('td[data-route]', (tds) =>
          tds.map(({ dataset }) => [dataset.route, Number(dataset.key), Number(dataset.value)]),
        );
        assert.equal(cells.length, 24);
        const { C0 } = await statements(page);
        assert.equal(C0.verdict, 'holds', `T ${T}, q ${q}, k ${k}`);
        for (const [route, key, value] of cells)
          // the budget is met to rounding, and the weights that meet it to its root
          close(
            value,
            weights[key],
            0,
            `${route} of k${key + 1} at T ${T}`,
            route === 'best use of a budget' ? 1e-7 : 2 * C0.allowed,
          );
        const spread = weights.map((_, key) =>
          cells
            .filter((cell) => cell[1] === key && cell[0] !== 'best use of a budget')
            .map((cell) => cell[2]),
        );
        assert.equal(
          C0.measured,
          Math.max(...spread.map((three) => Math.max(...three) - Math.min(...three))),
          'C0 is the largest spread of a weight',
        );
        const slots = await page.$$eval('.hero-right .slot-value', (all) =>
          all.map((each) => Number(each.dataset.value)),
        );
        const told = [Math.exp(entropy), entropy, kl, ...(T > 0 ? [lse] : [])];
        told.forEach((expected, at) =>
          close(slots[at], expected, 1e-12, `slot ${at}`, 1e-14 / Math.min(1, T || 1)),
        );
        const output = average(weights, VALUES);
        const shown = await page.$$eval('.values td, .hero-mean .slot-value', (all) =>
          all.map(({ dataset }) => Number(dataset.value)),
        );
        const expected = [...output, ...VALUES.flat(), ...output];
        assert.equal(shown.length, expected.length);
        expected.forEach((x, at) =>
          close(shown[at], x, 0, `value ${at} at T ${T}`, 2 * C0.allowed + 1e-15),
        );
      }
      await go(page, '#');
    });

    for (const [precision, Floats, u] of [
      ['float64', Float64Array, 2 ** -53],
      ['float32', Float32Array, 2 ** -24],
    ]) {
      const options = (T) => ({ headDim: 64, valueDim: 16, temperature: T });
      /** Unit rows of queries and keys, and values, in this precision. */
      const inputs = (seed) => {
        const { q, k, v } = gaussianInputs({ seed, n: 32, d: 64, dv: 16 });
        return [unitRows(q, 64), unitRows(k, 64), v].map((array) => Floats.from(array));
      };
      /** The results of attention and of the Gaussian view, by the page's engine. */
      const sides = async (T, seed) => ({
        softmax: await ask(page, 'attention', inputs(seed), {
          ...options(T),
          want: { weights: true },
        }),
        gaussian: await ask(page, 'gaussianWeights', inputs(seed), options(T)),
      });

      for (const [T, seed] of [
        [1, 7],
        [0.03, 8],
        [40, 9],
      ]) {
        test(`kernel equivalence in ${precision}, T = ${T}: differences are right`, async () => {
          await go(page, `#kT=${T}&kseed=${seed}&e=${precision}`);
          const told = (await statements(page))[`C1-${precision}`];
          const { softmax, gaussian } = await sides(T, seed);
          close(told.sigma2, 8 * T, 1e-15, 'σ²');
          const W = difference(softmax.weights, gaussian.weights);
          const O = difference(softmax.output, gaussian.output);
          assert.equal(told.max, W.max);
          assert.equal(told.outputMax, O.max);
          close(told.frobenius, W.frobenius, 1e-12, '‖ΔW‖');
          close(told.outputFrobenius, O.frobenius, 1e-12, '‖ΔO‖');
        });

        test(`kernel equivalence in ${precision}, T = ${T}: sides are right`, async () => {
          const { softmax, gaussian } = await sides(T, seed);
          const [q, k, v] = inputs(seed);
          const [keys, values] = [rows(k, 64), rows(v, 16)];
          const magnitudes = values.map((row) => row.map(Math.abs));
          const allowed = u * (16 + 8 / T) * 1.01;
          rows(q, 64).forEach((query, i) => {
            const byDots = attentionWeights(query, keys, T).weights;
            const byDistances = gaussianWeights(query, keys, T).weights;
            for (let j = 0; j < 32; j++) {
              const [dots, distances] = [softmax, gaussian].map((side) => side.weights[i * 32 + j]);
              close(dots, byDots[j], allowed, `softmax weight ${i}, ${j}`);
              close(distances, byDistances[j], allowed, `Gaussian weight ${i}, ${j}`);
            }
            const mass = average(byDistances, magnitudes);
            average(byDistances, values).forEach((x, c) => {
              const tolerance = u * (28 + 8 / T) * mass[c];
              close(softmax.output[i * 16 + c], x, 0, `output ${i}, ${c}`, tolerance);
            });
          });
        });
      }
    }

    test('the note’s run is recomputed at the note’s magnitudes', async () => {
      await go(page, '#');
      const cells = await page.$$eval('td[data-precision]', (tds) =>
        tds.map(({ dataset }) => [dataset.precision, dataset.row, Number(dataset.value)]),
      );
      const published = {
        'σ²': 8,
        'max |ΔW|': 1.39e-17,
        '‖ΔW‖': 1.22e-16,
        'max |ΔO|': 1.66e-16,
        '‖ΔO‖': 8.29e-16,
      };
      assert.equal(cells.length, 10);
      for (const [precision, row, value] of cells) {
        const scale = precision === 'float32' && row !== 'σ²' ? 2 ** 29 : 1;
        assert.ok(
          value < 4 * scale * published[row] && value > (scale * published[row]) / 4,
          `${row} in ${precision}: ${value}`,
        );
      }
    });

    test('a window says how many positions on each side it lets a query read', async () => {
      for (const [fragment, keys, words] of [
        ['w=3&c=1', 4, 'its own position and 3 before'],
        ['w=3&c=0', 7, 'its own position and 3 to each side'],
        ['w=0&c=0', 1, 'its own position only'],
      ]) {
        await go(page, `#${fragment}&at=16_16`);
        assert.equal(await page.textContent('[data-name="keys in reach"]'), String(keys), fragment);
        assert.ok(
          (await page.textContent('.figure-note')).endsWith(`; a query may read ${words}.`),
          fragment,
        );
      }
      await go(page, '#');
      assert.doesNotMatch(await page.textContent('.figure-note'), /may read/);
    });
  });
