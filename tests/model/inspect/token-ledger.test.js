/** A text with ledgers has those that the model gives for its positions, and the same tokens. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { engines } from '../../support/models/engines.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const all = async (iterator) => {
  const list = [];
  for await (const next of iterator) list.push(next);
  return list;
};

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    for (const name of ['llama, biases everywhere', 'gemma3, softcaps'])
      test(`${name}: each token has the ledger of its logit`, async () => {
        const model = await loadModel(asSafetensors(tiny(configs[name])), { engine });
        const prompt = [3, 1, 4, 1, 5, 9];
        const plain = await all(model.generate(prompt, { maxTokens: 8 }));
        model.cache.clear();
        const options = { maxTokens: 8, ledger: true, observe: 'stats' };
        const tokens = await all(model.generate(prompt, options));
        assert.deepEqual(
          tokens.map(({ token }) => token),
          plain.map(({ token }) => token),
        );
        for (const [at, { token, ledger, heads }] of tokens.entries()) {
          assert.ok(heads.entropy.length);
          assert.deepEqual([ledger.position, ledger.tokens], [prompt.length - 1 + at, [token]]);
          assert.ok(ledger.identity.holds, JSON.stringify(ledger.identity));
          assert.deepEqual(ledger, await model.ledger(ledger.position, token));
        }
        assert.equal(plain[0].ledger, undefined);
        model.dispose();
      });

    test('a trace beside the ledgers is that of a text without them', async () => {
      const model = await loadModel(asSafetensors(tiny(configs.gemma3)), { engine });
      const trace = { record: ['resid_mid', 'pattern', 'final_scale'], layers: [1, 2] };
      const options = { maxTokens: 5, trace };
      const plain = await all(model.generate([3, 1, 4, 1], options));
      model.cache.clear();
      const tokens = await all(model.generate([3, 1, 4, 1], { ...options, ledger: true }));
      for (const [at, { ledger, ...others }] of tokens.entries()) {
        assert.deepEqual(others, plain[at]);
        assert.deepEqual(ledger, await model.ledger(ledger.position, others.token));
      }
      assert.equal(tokens.length, 5);
      model.dispose();
    });

    test('another value than true or false is refused', async () => {
      const model = await loadModel(asSafetensors(tiny(configs.qwen2)), { engine });
      const message = /^ledger is 1; expected false or true$/;
      assert.throws(() => model.generate([1], { ledger: 1 }), { code: 'ARG', message });
      model.dispose();
    });
  });
