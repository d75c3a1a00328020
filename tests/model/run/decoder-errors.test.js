/** Errors of passes, and models that come and go, lose nothing. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray, sameBits } from '../../support/bits.js';
import { tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    const model = tiny(configs['llama, tied, grouped']);
    const gemma = tiny(configs.gemma3);
    const tokens = tokensOf(3, 30, 64);

    describe('of a model with a context of 20', () => {
      let loaded;
      let fresh;
      let earlier;
      before(async () => {
        loaded = await loadModel(asSafetensors(model), { engine, context: 20 });
        fresh = await loadModel(asSafetensors(model), { engine });
        loaded.prefill(tokens.slice(0, 15));
        earlier = loaded.cache.snapshot();
      });
      after(() => fresh.dispose());
      /** The snapshot with a bit of layer 2 changed. */
      const damaged = () => ({
        ...earlier,
        layers: earlier.layers.map((x, layer) =>
          layer === 2 ? x.map((byte, at) => (at === 100 ? byte ^ 1 : byte)) : x,
        ),
      });

      test('the capacity is that', () => assert.equal(loaded.cache.capacity, 20));

      test('an error changes nothing in the cache', () => {
        for (const [code, bad] of [
          ['LIMIT', () => loaded.prefill(tokens.slice(0, 6))],
          ['RANGE', () => loaded.prefill([3, 64])],
          ['RANGE', () => loaded.prefill([3, -1])],
          ['RANGE', () => loaded.step(1.5)],
          ['SHAPE', () => loaded.prefill([])],
          ['ARG', () => loaded.prefill('text')],
          ['ARG', () => loaded.prefill([1], { observe: 'all' })],
          ['ARG', () => loaded.prefill([1], { observed: 'stats' })],
          ['RANGE', () => loaded.prefill([1], { observe: 'weights', heads: [[0, 4]] })],
          ['ARG', () => loaded.prefill([1], { observe: 'weights', heads: [0] })],
          ['RANGE', () => loaded.row(0, 0, 15)],
          ['RANGE', () => loaded.row(3, 0, 0)],
          ['RANGE', () => loaded.setTemperature(-1)],
          ['RANGE', () => loaded.setTemperature(NaN)],
          ['RANGE', () => loaded.setTemperature(1, 0, 4)],
          ['RANGE', () => loaded.cache.truncate(16)],
          ['ARG', () => loaded.cache.restore({})],
          ['SHAPE', () => loaded.cache.restore({ ...earlier, tokens: earlier.tokens.slice(1) })],
          ['INTEGRITY', () => loaded.cache.restore(damaged())],
        ]) {
          assert.throws(bad, { name: 'ClearheadError', code }, String(bad));
          sameBits(loaded.cache.snapshot(), earlier, String(bad));
        }
      });

      test('a row of an empty cache is refused', () =>
        assert.throws(() => fresh.row(0, 0, 0), {
          code: 'RANGE',
          message: 'position is 0; expected a call after something has been read',
        }));

      test('after errors and after a restore the next token has the bits of a fresh model', () => {
        fresh.prefill(tokens.slice(0, 15));
        sameArray(loaded.step(7).logits, fresh.step(7).logits, 'the next token');
        loaded.cache.restore(earlier);
        fresh.cache.truncate(15);
        sameArray(loaded.step(7).logits, fresh.step(7).logits, 'after restore');
      });

      test('it may be disposed of twice, and refuses calls after that', () => {
        loaded.dispose();
        loaded.dispose();
        assert.throws(() => loaded.step(1), { code: 'DISPOSED' });
      });
    });

    test('models that come and go leave no memory behind', async () => {
      const use = async () => {
        const loaded = await loadModel(asSafetensors(gemma), { engine });
        loaded.prefill(tokens, { observe: 'weights' });
        loaded.dispose();
        await assert.rejects(
          loadModel(
            asSafetensors({ ...gemma, config: { ...gemma.config, num_hidden_layers: 8 } }),
            { engine },
          ),
          { code: 'FORMAT' },
        );
      };
      await use();
      const before = engine.tensor([1]).data.buffer.byteLength;
      for (let x = 0; x < 20; x++) await use();
      assert.equal(engine.tensor([1]).data.buffer.byteLength, before);
    });
  });
