/** Interventions between tokens, in the cache and in snapshots; without one no bit moves. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { Interventions } from '../../../src/js/model/inside/interventions.js';
import { sameArray, sameBits } from '../../support/bits.js';
import { LOGITS, difference, largest, tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { intervened } from '../../support/models/intervened.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const all = async (text) => {
  const tokens = [];
  for await (const each of text) tokens.push(each);
  return tokens;
};
const gemma = tiny(configs.gemma3);
const tokens = tokensOf(3, 30, 64);
const load = (engine, more) => loadModel(asSafetensors(gemma), { engine, ...more });
/** An entry for each head of a layer. */
const eachHead = ({ heads }, entry) =>
  Array.from({ length: heads }, (_, head) => ({ head, ...entry }));
const ABLATED = [{ layer: 2, head: 1, gain: 0 }];

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    test('gain 1 and an empty list give the bits of none, with any threads', async () => {
      const single = await load(engine);
      const plain = single.prefill(tokens, { observe: 'stats' });
      const next = single.step(5, { observe: 'stats' });
      single.dispose();
      for (const threads of [1, 2, 3]) {
        const ch = await init({ variant, layers: true, threads });
        for (const list of [[], [{ layer: 1, gain: 1 }]]) {
          const loaded = await load(ch);
          loaded.intervene(ABLATED);
          loaded.intervene(list);
          sameBits(loaded.prefill(tokens, { observe: 'stats' }), plain);
          sameBits(loaded.step(5, { observe: 'stats' }), next);
          loaded.dispose();
        }
      }
    });

    test('a list that names every head is planned as one that names the layer', async () => {
      const model = await load(engine);
      for (const entry of [
        { layer: 1, gain: 0.5 },
        { layer: 1, knockOut: { queries: [4, 30], keys: [0, 2] } },
        { layer: 2, pattern: 'previous' },
        { layer: 2, pattern: 'uniform', positions: [3, 30] },
      ]) {
        const [whole, heads] = [[entry], eachHead(model.config, entry)].map((list) => {
          const planned = Interventions.read(list, model.config);
          model.intervene(list);
          model.cache.clear();
          const results = [model.prefill(tokens), model.step(5, { observe: 'stats' })];
          return { plan: [planned.maskBytes(9), planned.edits()], results };
        });
        sameBits(heads.results, whole.results);
        assert.deepEqual(heads.plan, whole.plan);
      }
      model.dispose();
    });

    test('vectors and patches leave the memory with the list, or with the model', async () => {
      const top = () => {
        const tensor = engine.tensor([1]);
        const at = tensor.data.byteOffset;
        tensor.dispose();
        return at;
      };
      const before = top();
      const model = await load(engine);
      model.prefill(tokens);
      const plain = top();
      const from = await model.trace(tokens, { record: ['resid_mid'] });
      const add = new Float32Array(model.config.modelDim).fill(0.25);
      const list = [
        { layer: 1, add },
        { layer: 2, patch: 'resid_mid', from },
      ];
      for (const [interventions, kept] of [
        [list, true],
        [[], false],
        [list, true],
      ]) {
        model.intervene(interventions);
        model.step(5);
        model.cache.truncate(tokens.length);
        assert.equal(top() > plain, kept);
      }
      model.dispose();
      assert.equal(top(), before);
    });

    test('interventions have the same bits with several threads', async () => {
      const trace = await (await load(engine)).trace(tokens.slice(5), { record: ['z', 'pattern'] });
      const list = [
        ...ABLATED,
        { layer: 0, head: 0, knockOut: { keys: [3, 4] } },
        { layer: 1, head: 3, patch: 'pattern', from: trace },
        { layer: 4, head: 2, patch: 'z', from: trace },
        { layer: 3, add: new Float32Array(32).fill(0.3) },
      ];
      const results = [];
      for (const threads of [1, 3]) {
        const ch = await init({ variant, layers: true, threads });
        const loaded = await load(ch);
        loaded.intervene(list);
        results.push(loaded.prefill(tokens, { observe: 'stats' }));
        loaded.dispose();
      }
      sameBits(results[1], results[0]);
    });

    test('a change between two tokens of a text holds from the next one on', async () => {
      const loaded = await load(engine);
      const text = loaded.generate(tokens, { maxTokens: 8 });
      const chosen = [];
      for await (const { token } of text) {
        chosen.push(token);
        if (chosen.length === 3) loaded.intervene(ABLATED);
      }
      const other = await load(engine);
      other.prefill(tokens);
      const argmax = (x) => x.indexOf(x.reduce((max, z) => Math.max(max, z), -Infinity));
      chosen.slice(0, -1).forEach((token, at) => {
        if (at === 2) other.intervene(ABLATED);
        assert.equal(argmax(other.step(token).logits), chosen[at + 1], `token ${at + 1}`);
      });
      loaded.dispose();
      other.dispose();
    });

    test('generate reads anew what was read with others, and only that', async () => {
      const loaded = await load(engine);
      await all(loaded.generate(tokens, { maxTokens: 2 }));
      loaded.intervene(ABLATED);
      const [changed] = await all(loaded.generate(tokens, { maxTokens: 1, logprobs: 5 }));
      const fresh = await load(engine);
      fresh.intervene(ABLATED);
      const [want] = await all(fresh.generate(tokens, { maxTokens: 1, logprobs: 5 }));
      assert.deepEqual(changed, want);
      const snapshot = loaded.cache.snapshot();
      assert.ok(snapshot.interventions > 0);
      for (const [list, same] of [
        [ABLATED, true],
        [[], false],
      ]) {
        const restored = await load(engine);
        restored.cache.restore(snapshot);
        restored.intervene(list);
        // the first layer's keys are equal in both cases; those of the last tell them apart
        const marked = restored.cache.snapshot();
        await all(restored.generate(tokens, { maxTokens: 1 }));
        const after = restored.cache.snapshot();
        assert.equal(Buffer.compare(after.layers[6], marked.layers[6]) === 0, same);
        restored.dispose();
      }
      loaded.dispose();
      fresh.dispose();
    });

    test('a row of the past and observed weights follow the interventions', async () => {
      const loaded = await load(engine);
      const list = [
        { layer: 1, head: 2, pattern: 'previous' },
        { layer: 2, head: 0, knockOut: { keys: [0] } },
        { layer: 0, gain: 0.5 },
      ];
      loaded.intervene(list);
      for (const token of tokens) {
        const { heads } = loaded.step(token, { observe: 'weights' });
        const position = loaded.cache.length - 1;
        const of = (layer, head) => heads.weights.find((w) => w.layer === layer && w.head === head);
        const previous = Math.max(0, position - 1);
        assert.equal(of(1, 2).weights[previous], 1);
        assert.equal(of(2, 0).weights[0], 0);
        assert.equal(heads.firstWeight[2 * 4], 0, 'the first weight, at its own position too');
        for (const [layer, head] of [
          [1, 2],
          [2, 0],
          [6, 3],
        ])
          sameArray(loaded.row(layer, head, position).weights, of(layer, head).weights, 'row');
      }
      loaded.dispose();
    });

    test('the mean is of the prompt, for the tokens behind it too', async () => {
      const list = [
        { layer: 1, head: 0, gain: 'mean' },
        { layer: 3, gain: 'mean' },
      ];
      const loaded = await load(engine);
      const prompt = tokens.slice(0, 20);
      loaded.intervene(list);
      loaded.prefill(prompt);
      const want = intervened(gemma, tokens, list, prompt.length);
      tokens.slice(20).forEach((token, at) => {
        const { logits } = loaded.step(token);
        const error = difference(want[20 + at].logits, logits) / largest(want[20 + at].logits);
        assert.ok(error < LOGITS, `${20 + at}: ${error} of the largest logit`);
      });
      // live in the middle of a text: tokens that were read stay, and the mean is the prompt's
      loaded.intervene([]);
      const text = loaded.generate(prompt, { maxTokens: 4 });
      const { value } = await text.next();
      loaded.intervene(list);
      await text.next();
      assert.deepEqual([...loaded.cache.tokens], [...prompt, value.token]);
      await text.return();
      loaded.cache.truncate(prompt.length);
      const plain = await load(engine);
      plain.prefill(prompt);
      sameBits(loaded.cache.snapshot().layers, plain.cache.snapshot().layers);
      plain.dispose();
      loaded.dispose();
    });

    test('temperatures are one list with the others', async () => {
      const loaded = await load(engine);
      loaded.intervene(ABLATED);
      loaded.setTemperature(2);
      loaded.setTemperature(3, 1);
      loaded.setTemperature(4, 1, 2);
      assert.deepEqual(loaded.interventions, [
        ...ABLATED,
        { temperature: 2 },
        { layer: 1, temperature: 3 },
        { layer: 1, head: 2, temperature: 4 },
      ]);
      loaded.setTemperature(5, 1);
      assert.deepEqual([loaded.temperature(1, 2), loaded.temperature(0, 0)], [5, 2]);
      loaded.setTemperature(1);
      assert.deepEqual(loaded.interventions, ABLATED);
      loaded.intervene([{ temperature: 7 }]);
      assert.equal(loaded.temperature(6, 3), 7);
      loaded.intervene([]);
      assert.equal(loaded.temperature(6, 3), 1);
      loaded.dispose();
    });
  });
