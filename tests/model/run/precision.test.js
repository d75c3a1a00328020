/** Weights quantised at load and caches in halves or bytes stay near the float32 model. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray } from '../../support/bits.js';
import { difference, largest, tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { forward } from '../../support/models/forward.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    const gemma = tiny(configs.gemma3);
    const tokens = tokensOf(3, 30, 64);

    test('float weights quantised at load stay near, and in a quarter of the memory', async () => {
      const config = { ...configs['llama, tied, grouped'], hidden_size: 64, intermediate_size: 96 };
      const source = tiny(config);
      const want = forward(source, tokens);
      const whole = await loadModel(asSafetensors(source), { engine });
      const small = await loadModel(asSafetensors(source), { engine, quantize: 'q8' });
      assert.ok(
        small.info.quantized && small.info.weightBytes < 0.45 * whole.info.weightBytes,
        `${small.info.weightBytes} of ${whole.info.weightBytes} bytes`,
      );
      const { logits } = small.prefill(tokens);
      const exact = want.at(-1).logits;
      const error = Math.sqrt(
        exact.reduce((sum, x, at) => sum + (x - logits[at]) ** 2, 0) /
          exact.reduce((sum, x) => sum + x * x, 0),
      );
      // each weight and each input moves by up to 1/254 of its block's largest: some percent after
      // three layers
      assert.ok(error < 0.1 && error > 1e-6, `relative error ${error}`);
      whole.dispose();
      small.dispose();
    });

    test('a cache in halves or bytes stays near, and is the same in any chunks', async () => {
      const want = forward(gemma, tokens).at(-1).logits;
      for (const [cacheType, limit, size] of [
        ['f16', 5e-3, 0.55],
        ['q8', 5e-2, 0.45],
      ]) {
        const a = await loadModel(asSafetensors(gemma), { engine, cacheType });
        const b = await loadModel(asSafetensors(gemma), { engine, cacheType });
        const whole = await loadModel(asSafetensors(gemma), { engine });
        const seen = tokens.map((token) => a.step(token, { observe: 'weights' }));
        const { logits } = b.prefill(tokens);
        sameArray(logits, seen.at(-1).logits, cacheType);
        const error = difference(want, logits) / largest(want);
        // half precision moves keys and values by 2^-11, bytes by 1/254 of each vector's largest; a
        // few layers multiply that
        assert.ok(error < limit && error > 1e-6, `${cacheType}: ${error} of the largest logit`);
        for (const { layer, head, weights } of seen[12].heads.weights)
          sameArray(b.row(layer, head, 12).weights, weights, `row ${layer}, ${head}`);
        assert.ok(
          a.cache.bytes < size * whole.cache.bytes,
          `${a.cache.bytes} of ${whole.cache.bytes} bytes`,
        );
        const snapshot = a.cache.snapshot();
        b.cache.clear();
        b.cache.restore(snapshot);
        sameArray(b.step(7).logits, a.step(7).logits, 'after restore');
        for (const model of [a, b, whole]) model.dispose();
      }
    });
  });
