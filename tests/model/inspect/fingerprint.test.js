/** Heads that differ between two sets of prompts are found, and others are not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { comparePlanes, headsFound } from '../../../src/js/model/inspect/planes.js';
import { corrected, mannWhitney } from '../../../src/js/model/inspect/rank-test.js';
import { engines } from '../../support/models/engines.js';
import { asGguf, configs, tiny } from '../../support/models/random-models.js';
import { random } from '../../support/random.js';

const LAYERS = 5;
const HEADS = 8;
const PROMPTS = 16;

/** Statistics of heads on prompts; `shift` is added to those of the planted heads. */
function samples(r, planted, shift) {
  const of = () =>
    Array.from({ length: LAYERS * HEADS }, (_, at) =>
      Float64Array.from(
        { length: PROMPTS },
        () => 2 + r.normal() + (planted.includes(at) ? shift : 0),
      ),
    );
  return { rho: of(), chi: of() };
}

test('planted heads come out at p ≤ 0.001, and no others', () => {
  const planted = [3, 17, 39];
  for (let seed = 1; seed <= 20; seed++) {
    const r = random(seed);
    const compared = comparePlanes(samples(r, [], 0), samples(r, planted, 4), 'holm');
    const found = headsFound(compared.adjusted, HEADS, 0.001);
    assert.deepEqual(
      found.map(({ layer, head }) => layer * HEADS + head).sort((a, b) => a - b),
      planted,
      `seed ${seed}`,
    );
    for (const at of planted) assert.ok(Math.abs(compared.difference.rho[at] - 4) < 1.5);
  }
});

for (const correction of ['holm', 'benjamini-hochberg'])
  test(`without a difference the false findings stay at the level of ${correction}`, () => {
    let wrong = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const r = random(5000 + seed);
      const { adjusted } = comparePlanes(samples(r, [], 0), samples(r, [], 0), correction);
      wrong += headsFound(adjusted, HEADS, 0.05).length > 0;
    }
    // of 100 draws with probability 0.05, more than 12 have a probability of 0.001
    assert.ok(wrong <= 12, `${wrong} of 100`);
  });

/** The p-value by its definition: all ways to choose which values are of the first sample. */
function byDefinition(a, b) {
  const all = [...a, ...b];
  const u = (chosen) => {
    const rest = all.filter((_, at) => !chosen.includes(at));
    return chosen.reduce((sum, at) => sum + rest.filter((x) => x < all[at]).length, 0);
  };
  const middle = (a.length * b.length) / 2;
  const off = Math.abs(u(a.map((_, at) => at)) - middle);
  let count = 0;
  let extreme = 0;
  const choose = (chosen, from) => {
    if (chosen.length === a.length) {
      count++;
      extreme += Math.abs(u(chosen) - middle) >= off;
      return;
    }
    for (let at = from; at < all.length; at++) choose([...chosen, at], at + 1);
  };
  choose([], 0);
  return extreme / count;
}

test('small samples have the p-value of all orders, large ones and ties that of the normal', () => {
  const r = random(1);
  for (const [n1, n2] of [
    [1, 1],
    [2, 5],
    [4, 4],
    [6, 3],
  ])
    for (let round = 0; round < 5; round++) {
      const [a, b] = [n1, n2].map((n) => Array.from({ length: n }, () => r.normal() + round / 2));
      assert.ok(Math.abs(mannWhitney(a, b) - byDefinition(a, b)) < 1e-12);
    }
  const apart = (n) => [0, 1].map((x) => Float64Array.from({ length: n }, (_, i) => i + n * x));
  assert.equal(mannWhitney(...apart(8)), 2 / 12870);
  assert.equal(mannWhitney([1, 1, 1], [1, 1]), 1);
  // erfc(z/√2) of the textbook's z, with the variance of ties and the correction
  const tied = mannWhitney([1, 2, 2, 3, 3], [2, 3, 4, 4, 5, 5]);
  assert.ok(Math.abs(tied - 0.049745991) < 1e-6, `${tied}`);
  // both ways around the limit of the count, for samples that are neither equal nor apart
  const shifted = (n) => [0, 0.8].map((x) => Array.from({ length: n }, (_, i) => i / n + x));
  const [exact, normal] = [mannWhitney(...shifted(20)), mannWhitney(...shifted(21))];
  assert.ok(exact > normal && exact < 20 * normal, `${exact}, ${normal}`);
});

test('Holm and Benjamini–Hochberg correct as their definitions say', () => {
  const p = [0.04, 0.001, 0.03, 0.5];
  assert.deepEqual([...corrected(p, 'holm')], [0.09, 0.004, 0.09, 0.5]);
  const bh = [...corrected(p, 'benjamini-hochberg')];
  [(4 / 3) * 0.04, 0.004, (4 / 3) * 0.04, 0.5].forEach((want, at) =>
    assert.ok(Math.abs(bh[at] - want) < 1e-12),
  );
});

for (const { variant, ch: engine } of engines)
  test(`a model's heads have ρ and χ of the last rows, or of all (${variant})`, async () => {
    const model = await loadModel(asGguf(tiny(configs['qwen3, wide heads'])), { engine });
    const { layers, heads } = model.config;
    model.setTemperature(0.5, 0, 0);
    model.setTemperature(Infinity, 0, 1);
    const sets = [0, 1].map((set) =>
      [5, 7, 6].map((length, x) =>
        Array.from({ length }, (_, i) => (11 * i + 5 * x + 17 * set) % 60),
      ),
    );
    const ticks = [];
    for (const rows of ['last', 'all']) {
      const onProgress = ({ done, total }) => ticks.push(`${done}/${total}`);
      const got = await model.heads.fingerprint(...sets, { rows, level: 0.5, onProgress });
      for (const [set, name] of ['a', 'b'].entries())
        for (let row = 0; row < layers * heads; row++) {
          const [layer, head] = [Math.floor(row / heads), row % heads];
          const T = model.temperature(layer, head);
          const want = { rho: 0, chi: 0 };
          for (const prompt of sets[set]) {
            model.cache.clear();
            model.prefill(prompt);
            const positions = [...prompt.keys()].slice(rows === 'last' ? -1 : 1);
            for (const i of positions) {
              const { weights } = model.row(layer, head, i);
              const log = weights.map((p) => Math.log(p));
              const mean = (f) => weights.reduce((sum, p, j) => sum + p * f(j), 0);
              const center = mean((j) => log[j]);
              const n = Math.log(i + 1);
              want.rho += (n + center) / positions.length / 3;
              want.chi += mean((j) => (log[j] - center) ** 2) / n ** 2 / positions.length / 3;
            }
          }
          for (const statistic of ['rho', 'chi'])
            assert.ok(
              Math.abs(got[name][statistic][row] - want[statistic]) < 1e-4 * (1 + 1 / T),
              `${statistic} of ${layer}.${head} in ${name}, ${rows}: ` +
                `${got[name][statistic][row]} and not ${want[statistic]}`,
            );
        }
      assert.equal(got.p.rho.length, layers * heads);
      assert.deepEqual(got.prompts, { a: 3, b: 3 });
    }
    assert.deepEqual(ticks.slice(0, 6), ['1/6', '2/6', '3/6', '4/6', '5/6', '6/6']);
    model.dispose();
  });

for (const { variant, ch: engine } of engines)
  test(`found heads are ablated one by one, and nothing is left of it (${variant})`, async () => {
    const model = await loadModel(asGguf(tiny(configs['llama, tied, grouped'])), { engine });
    const { heads } = model.config;
    const own = [{ layer: 0, head: 1, gain: 0.5 }];
    model.intervene(own);
    const sets = [(x) => x + 1, (x, i) => (x * 11 + i * 17 + 3 * i ** 3) % 60].map((f) =>
      Array.from({ length: 8 }, (_, x) => Array.from({ length: 9 + x }, (__, i) => f(x, i))),
    );
    const options = { level: 0.5, rows: 'all', ablate: 2 };
    const { found, ablated, adjusted } = await model.heads.fingerprint(...sets, options);
    assert.ok(found.length > 0);
    assert.equal(ablated.length, Math.min(2, found.length));
    const softmax = (z) => {
      const e = Float64Array.from(z, (x) => Math.exp(x - Math.max(...z)));
      const sum = e.reduce((all, x) => all + x);
      return e.map((x) => x / sum);
    };
    const next = (prompt) => {
      model.cache.clear();
      return softmax(model.prefill(prompt).logits);
    };
    for (const { layer, head, adjusted: p, effect } of ablated) {
      const at = layer * heads + head;
      assert.equal(p, Math.min(adjusted.rho[at], adjusted.chi[at]));
      for (const [set, name] of ['a', 'b'].entries()) {
        let sum = 0;
        for (const prompt of sets[set]) {
          model.intervene(own);
          const before = next(prompt);
          model.intervene([...own, { layer, head, gain: 0 }]);
          const after = next(prompt);
          sum += before.reduce((all, x, t) => all + x * Math.log(x / after[t]), 0);
        }
        assert.ok(sum > 0 && Math.abs(effect[name] - sum / 8) <= 1e-5 * sum + 1e-9);
      }
    }
    model.intervene(own);
    await model.heads.fingerprint(...sets, { ...options, ablate: 0 });
    assert.deepEqual(model.interventions, own);
    model.dispose();
  });

test('wrong sets and options are refused by name', async () => {
  const model = await loadModel(asGguf(tiny(configs['gemma3'])), { engine: engines[0].ch });
  const refused = (promptsA, promptsB, options, code, message) =>
    assert.rejects(model.heads.fingerprint(promptsA, promptsB, options), {
      name: 'ClearheadError',
      code,
      message,
    });
  const good = [
    [1, 2],
    [3, 4],
  ];
  await refused(3, good, {}, 'ARG', /promptsA is 3; expected an array of prompts/);
  await refused(good, [[1, 2]], {}, 'SHAPE', /promptsB is .*; expected at least two prompts/);
  await refused(good, [[1, 2], [3]], {}, 'SHAPE', /a prompt is 1 token; expected at least two/);
  await refused(good, good, { rows: 'first' }, 'ARG', /rows is "first"/);
  await refused(good, good, { correction: 'none' }, 'ARG', /correction is "none"/);
  await refused(good, good, { level: 1 }, 'RANGE', /level is 1; expected a number between/);
  await refused(good, good, { onProgress: 1 }, 'ARG', /onProgress is 1; expected a function/);
  assert.equal(model.cache.length, 2, 'the cache is free again');
  model.cache.clear();
  model.dispose();
});
