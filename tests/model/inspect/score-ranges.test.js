/** Scores of heads stay in their ranges, whatever is masked or given twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { EntropyLine, Tally } from '../../../src/js/model/inspect/tally.js';
import { engines } from '../../support/models/engines.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const load = (engine) =>
  loadModel(asSafetensors(tiny(configs['llama, tied, grouped'])), { engine });
const one = { layers: 1, heads: 1 };
const row = (weights) => [{ layer: 0, head: 0, weights: Float32Array.from(weights) }];

for (const { variant, ch: engine } of engines)
  test(`a position of a source counts once, however often it is given (${variant})`, async () => {
    const model = await load(engine);
    const prompt = [5, 6, 7, 8];
    const scoresFor = async (positions) => {
      const sources = [{ prompt, positions }];
      return [...(await model.heads.scores({ scores: ['source'], sources })).scores.source];
    };
    const [once, twice] = [await scoresFor([1, 2]), await scoresFor([2, 1, 2, 1, 1])];
    assert.deepEqual(twice, once);
    const all = await scoresFor([0, 1, 2, 3, 3]);
    for (const x of all) assert.ok(x > 1 - 1e-6 && x <= 1, `${x}`);
    assert.deepEqual(await scoresFor(Int32Array.of(1, 2)), once);
    await assert.rejects(scoresFor([]), {
      code: 'SHAPE',
      message: /^sources\[0\]\.positions is empty/,
    });
    model.dispose();
  });

for (const { variant, ch: engine } of engines)
  test(`a head whose keys are all masked has the lookback ½ (${variant})`, async () => {
    const model = await load(engine);
    model.intervene([{ layer: 1, head: 2, knockOut: { queries: [2, 4] } }]);
    const masked = model.config.heads + 2;
    const ratios = [];
    for await (const { heads } of model.generate([1, 2, 3], {
      maxTokens: 4,
      observe: { lookback: true },
    })) {
      for (const x of heads.lookback) assert.ok(x >= 0 && x <= 1, `${x}`);
      ratios.push(heads.lookback[masked]);
    }
    assert.deepEqual([ratios[0], ratios[2]], [0.5, 0.5]);
    assert.ok(ratios[1] !== 0.5 && ratios[3] !== 0.5);
    model.dispose();
  });

test('a head that sees nothing has no robustness, and earns no label by it', async () => {
  const model = await load(engines[0].ch);
  model.intervene([{ layer: 0, head: 1, knockOut: {} }]);
  const { heads } = await model.heads.scores({ repeats: { count: 1, period: 5 } });
  assert.ok(Number.isNaN(heads[1].scores.robustness));
  assert.deepEqual(heads[1].labels, []);
  for (const { scores } of heads.filter((_, x) => x !== 1))
    assert.ok(scores.robustness >= 0 && scores.robustness <= 1);
  model.dispose();
});

test('robustness is 1 where entropy falls, and 0 where it rises faster than log n', () => {
  const uniform = (n, keys) => Array.from({ length: n }, (_, j) => (j < keys ? 1 / keys : 0));
  for (const [keys, want] of [
    [(n) => Math.max(1, 8 - n), 1],
    [(n) => (n < 5 ? 1 : n), 0],
    [(n) => n, 0],
    [() => 3, 1],
  ]) {
    const line = new EntropyLine(one);
    for (let n = 3; n < 8; n++) line.add(row(uniform(n, keys(n))), () => n);
    const [got] = line.robustness();
    assert.ok(Math.abs(got - want) < 1e-6 && got >= 0 && got <= 1, `${got}, not ${want}`);
  }
});

test('rounded weights that sum to more than 1 have the score 1', () => {
  const tally = new Tally(one);
  tally.add(row([0.5, 0.25, 0.25 + 1e-7]), [0, 1, 2]);
  assert.deepEqual([...tally.means()], [1]);
});
