/** Lookback ratios, ranking by attention, and the examples of their page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { loadModel as loadRemote } from '../../../src/js/worker/client.js';
import { engines } from '../../support/models/engines.js';
import { asGguf, asSafetensors, configs, tiny } from '../../support/models/random-models.js';
import { byteTokenizer } from '../../support/train/byte-tokenizer.js';

const file = () => asGguf(tiny(configs['gemma3']));
const load = (engine) => loadModel(file(), { engine });
const passages = [7, 4, 9].map((length, x) =>
  Array.from({ length }, (_, i) => (x * 13 + i * 5 + 2) % 60),
);
const query = [3, 50, 8, 21];
const empty = [40, 2];

/** The mean weight of each passage, from rows of weights, of a query behind all passages. */
function byDefinition(model, ids) {
  const { layers, heads } = model.config;
  const context = passages.flat();
  model.cache.clear();
  model.prefill([...context, ...ids]);
  let from = 0;
  return passages.map(({ length }) => {
    let sum = 0;
    for (let row = 0; row < layers * heads; row++)
      for (let i = 0; i < ids.length; i++) {
        const { weights } = model.row(Math.floor(row / heads), row % heads, context.length + i);
        sum += weights.subarray(from, from + length).reduce((all, p) => all + p, 0);
      }
    from += length;
    return sum / (layers * heads * ids.length);
  });
}

for (const { variant, ch: engine } of engines) {
  test(`passages are ranked by the weight that the query gives them (${variant})`, async () => {
    const model = await load(engine);
    const [asked, base] = [query, empty].map((ids) => byDefinition(model, ids));
    for (const [calibration, want] of [
      [null, asked],
      [empty, asked.map((x, at) => x - base[at])],
    ]) {
      const ranked = await model.rank(query, passages, { calibration });
      const order = [0, 1, 2].sort((a, b) => want[b] - want[a]);
      assert.deepEqual(
        ranked.map(({ index }) => index),
        order,
      );
      for (const { index, score } of ranked) assert.ok(Math.abs(score - want[index]) < 1e-6);
    }
    assert.deepEqual([...model.cache.tokens], passages.flat());
    const remote = await loadRemote(file(), { engine: { variant } });
    assert.deepEqual(await remote.rank(query, passages), await model.rank(query, passages));
    await remote.dispose();
    model.dispose();
  });

  test(`the lookback ratio compares mean weights of prompt and text (${variant})`, async () => {
    const model = await load(engine);
    const { layers, heads } = model.config;
    let own = 0;
    for await (const { heads: seen } of model.generate(query, {
      maxTokens: 4,
      observe: { lookback: true },
    })) {
      assert.deepEqual(Object.keys(seen), ['lookback']);
      seen.lookback.forEach((got, row) => {
        const at = query.length + own - 1;
        const { weights } = model.row(Math.floor(row / heads), row % heads, at);
        const mean = (part) => part.reduce((sum, p) => sum + p, 0) / (part.length || 1);
        const before = mean(weights.subarray(0, query.length));
        const want = before / (before + mean(weights.subarray(query.length)));
        assert.ok(Math.abs(got - want) < 1e-5, `${got} and not ${want}`);
      });
      assert.equal(seen.lookback.length, layers * heads);
      own++;
    }
    assert.equal(own, 4);
    model.dispose();
  });
}

test('spans, statistics and ratios come together, and prompts have no ratio', async () => {
  const model = await load(engines[0].ch);
  const observe = { spans: [[0, 2]], stats: true, lookback: true };
  for await (const { heads } of model.generate(query, { maxTokens: 1, observe })) {
    assert.equal(heads.spans.length, heads.lookback.length);
    assert.equal(heads.entropy.length, heads.lookback.length);
    assert.ok(heads.lookback.every((x) => x === 1));
  }
  assert.throws(() => model.prefill(query, { observe }), { code: 'ARG', message: /"lookback"/ });
  model.dispose();
});

test('wrong arguments of rank are refused by name', async () => {
  const model = await load(engines[0].ch);
  const refused = (values, code, message) =>
    assert.rejects(model.rank(...values), { name: 'ClearheadError', code, message });
  await refused([query, 'one'], 'ARG', /passages is "one"; expected an array/);
  await refused([query, []], 'SHAPE', /passages is empty; expected at least one/);
  await refused([query, [[1], [900]]], 'RANGE', /passages\[1\]\[0\] is 900/);
  await refused([[], [[1]]], 'SHAPE', /query is empty/);
  await refused([query, [[1]], { heads: [[9, 0]] }], 'RANGE', /the layer of heads\[0\] is 9/);
  for (const heads of [0, '', false, null]) {
    const message = new RegExp(`^heads is ${JSON.stringify(heads)}; expected an array$`);
    await refused([query, [[1]], { heads }], 'ARG', message);
  }
  await refused([query, [[1]], { heads: [] }], 'SHAPE', /^heads is empty; expected at least one$/);
  await refused([query, [[1]], { calibrate: null }], 'ARG', /"calibrate".*calibration/);
  await refused([query, [new Array(500).fill(1)]], 'LIMIT', /passages is 504 tokens/);
  assert.equal(model.cache.length, 0);
  model.dispose();
});

test('the examples of docs/spans.md run', async () => {
  const text = readFileSync(new URL('../../../docs/spans.md', import.meta.url), 'utf8');
  const examples = [...text.matchAll(/^```js\n([^]*?)^```/gm)].map(([, code]) => code);
  assert.equal(examples.length, 5);
  const config = { ...configs['llama, tied, grouped'], vocab_size: 268 };
  const files = asSafetensors(tiny({ ...config, max_position_embeddings: 256 }));
  const source = { ...files, tokenizer: byteTokenizer() };
  const model = await loadModel(source, { engine: engines[0].ch });
  const AsyncFunction = (async () => {}).constructor;
  const printed = [];
  const log = (...values) => printed.push(values);
  for (const code of examples) await new AsyncFunction('model', 'console', code)(model, { log });
  assert.equal(printed.length, 1 + 3 + 3 + 1 + 1);
  model.dispose();
});
