/** The lens and the ledger say what the layers added, as a plain pass in float64 does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray } from '../../support/bits.js';
import { LOGITS, difference, largest, tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { ledgerOf, lensOf } from '../../support/models/ledger.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const sum = (list) => list.reduce((a, b) => a + b, 0);
const near = (got, want, size, what) =>
  assert.ok(difference(got, want) <= LOGITS * size, `${what}: ${difference(got, want)} of ${size}`);

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    for (const [name, config] of Object.entries(configs)) {
      const source = tiny(config);
      const tokens = tokensOf(11, 20, config.vocab_size);

      test(`${name}: each part of a ledger is that of float64`, async () => {
        const model = await loadModel(asSafetensors(source), { engine });
        model.prefill(tokens);
        for (const [position, ids] of [
          [19, [7]],
          [12, [3, 60]],
          [0, [5]],
        ]) {
          const token = ids.length === 1 ? ids[0] : ids;
          const got = await model.ledger(position, token);
          const want = ledgerOf(source, tokens, position, ids);
          const size = largest([want.embedding, ...want.heads, ...want.feedForward, want.logit]);
          near([got.embedding], [want.embedding], size, 'embedding');
          near(got.heads, want.heads, size, 'heads');
          near(got.feedForward, want.feedForward, size, 'feed-forward');
          near(got.biases, want.biases, size, 'biases');
          near([got.identity.left], [want.logit], size, 'logit');
          assert.ok(got.identity.holds, JSON.stringify(got.identity));
          const added = [got.embedding, ...got.heads, ...got.feedForward, ...got.biases];
          const all = sum(added) + got.rounding + got.rest;
          assert.ok(Math.abs(all - got.identity.left) <= 1e-12 * size);
          assert.ok(Math.abs(got.rest) <= got.identity.allowed);
          // worst cases of all products and sums, yet a small part of the terms
          assert.ok(got.identity.allowed < 2e-3 * size, `${got.identity.allowed} of ${size}`);
        }
        model.dispose();
      });

      test(`${name}: the lens is that of float64, and its last row the logits`, async () => {
        const model = await loadModel(asSafetensors(source), { engine });
        const { logits } = model.prefill(tokens);
        const { vocab, layers } = model.config;
        const { probabilities, top, ...lens } = await model.lens(19, { top: 3 });
        sameArray(lens.logits.slice((layers - 1) * vocab), logits, 'last row');
        for (const [layer, want] of lensOf(source, tokens, 19).entries()) {
          const row = lens.logits.subarray(layer * vocab, (layer + 1) * vocab);
          near(row, want, largest(want), `layer ${layer}`);
          const p = probabilities.subarray(layer * vocab, (layer + 1) * vocab);
          assert.ok(Math.abs(sum(p) - 1) < 1e-6);
          const sorted = [...p].sort((a, b) => b - a);
          assert.deepEqual(
            top[layer].map((one) => one.probability),
            sorted.slice(0, 3),
          );
          for (const { token, probability } of top[layer]) assert.equal(p[token], probability);
        }
        model.dispose();
      });
    }

    test('sources divide the part of each head', async () => {
      for (const name of ['llama, biases everywhere', 'gemma3']) {
        const model = await loadModel(asSafetensors(tiny(configs[name])), { engine });
        model.prefill(tokensOf(13, 18, 64));
        const { heads, sources } = await model.ledger(14, 9, { sources: true });
        assert.equal(sources.length, heads.length * 15);
        const sums = Array.from(heads, (_, x) => sum(sources.subarray(x * 15, (x + 1) * 15)));
        near(sums, heads, largest(heads), name);
        model.dispose();
      }
    });

    test('sources have the gains of z, and vectors that are put into z have none', async () => {
      const model = await loadModel(asSafetensors(tiny(configs.gemma3)), { engine });
      const { heads: count, headDim } = model.config;
      const tokens = tokensOf(15, 12, 64);
      const from = await model.trace(tokensOf(16, 12, 64), { record: ['z'] });
      const add = Float64Array.from({ length: headDim }, (_, c) => (c % 5) - 2);
      const all = Array.from({ length: count }, () => [...add]).flat();
      const place = (head) => ({ layer: 1, head });
      const put = { ...place(1), add, at: 'z', gain: 0.5 };
      for (const [edits, scaled, placed] of [
        [[{ ...place(0), gain: 0 }], 0, false],
        [[{ ...place(0), gain: -2, positions: [9] }], 1, false],
        [[{ ...place(1), gain: 'mean' }], 0, true],
        [[{ ...place(1), patch: 'z', from }, put], 0, true],
        [[put, { ...place(1), gain: 3 }], 1, true],
        [
          [
            { ...place(1), gain: 3 },
            { layer: 1, add: all, at: 'z', positions: [9] },
          ],
          1,
          true,
        ],
        [[put, { ...place(1), gain: 0, positions: [8] }], 1, true],
      ]) {
        model.intervene(edits);
        model.cache.clear();
        model.prefill(tokens);
        const { heads, sources, withoutSource } = await model.ledger(9, 7, { sources: true });
        const own = Array.from(heads, (_, x) => sum(sources.subarray(x * 10, (x + 1) * 10)));
        const sums = own.map((x, at) => x + withoutSource[at]);
        near(sums, heads, largest(heads), JSON.stringify(edits.map(Object.keys)));
        const at = count + edits[0].head;
        assert.equal(own[at] !== 0, scaled === 1);
        assert.equal(withoutSource[at] !== 0, placed);
        assert.equal(withoutSource[0], 0);
      }
      model.dispose();
    });

    test('the past is looked at with the bits of then, and nothing is changed', async () => {
      const source = tiny(configs.gemma3);
      const tokens = tokensOf(14, 24, 64);
      const a = await loadModel(asSafetensors(source), { engine });
      const b = await loadModel(asSafetensors(source), { engine });
      const then = a.prefill(tokens.slice(0, 10)).logits;
      a.prefill(tokens.slice(10));
      const { vocab } = a.config;
      const lens = await a.lens(9);
      sameArray(lens.logits.slice(-vocab), then, 'logits of position 9');
      await a.ledger(4, 3, { sources: true });
      assert.deepEqual(a.cache.tokens, Int32Array.from(tokens));
      b.prefill(tokens);
      sameArray(a.step(5).logits, b.step(5).logits, 'the next token');
      a.dispose();
      b.dispose();
    });

    test('a bad argument is refused by name', async () => {
      const model = await loadModel(asSafetensors(tiny(configs.qwen2)), { engine });
      const refused = (call, code, message) =>
        assert.rejects(call, { name: 'ClearheadError', code, message });
      await refused(model.lens(0), 'RANGE', /^position is 0; expected a call after something/);
      model.prefill([1, 2, 3]);
      await refused(model.lens(3), 'RANGE', /^position is 3; expected an integer from 0 to 2$/);
      await refused(model.lens(1, { top: 0 }), 'RANGE', /^top is 0; expected an integer from 1/);
      await refused(model.ledger(1, 64), 'RANGE', /^token is 64; expected an integer from 0 to 63/);
      await refused(model.ledger(1, [1]), 'SHAPE', /^token is an array of 1; expected an id, or a/);
      await refused(model.ledger(1, [1, -1]), 'RANGE', /^token\[1\] is -1; expected an integer/);
      await refused(model.ledger(1, [7, 7]), 'ARG', /^token\[1\] is 7, as token\[0\]; exp/);
      await refused(model.ledger(1, 1, { source: true }), 'ARG', /did you mean sources\?$/);
      model.dispose();
      await refused(model.ledger(1, 1), 'DISPOSED', /^model is disposed of/);
    });
  });
