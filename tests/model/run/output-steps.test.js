/**
 * The product with the output matrix of a large vocabulary is done in parts, none larger than a
 * layer. Others run between them. The parts change no bit.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { Pass } from '../../../src/js/model/run/pass.js';
import { sameArray } from '../../support/bits.js';
import { engines } from '../../support/models/engines.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

/** Numbers of a weight matrix for each channel of the stream. */
const layerOf = (c) => {
  const d = c.head_dim ?? c.hidden_size / c.num_attention_heads;
  return 2 * (c.num_attention_heads + c.num_key_value_heads) * d + 3 * c.intermediate_size;
};
/** The steps that remain before each run of a pass of this many tokens, and its logits. */
function watch(t, tokens) {
  const seen = { remaining: [], logits: [] };
  const { run, logits } = Pass.prototype;
  t.mock.method(Pass.prototype, 'run', function (steps) {
    if (this.t === tokens) seen.remaining.push(this.remaining);
    return run.call(this, steps);
  });
  t.mock.method(Pass.prototype, 'logits', function (to) {
    logits.call(this, to);
    seen.logits.push(to.slice());
  });
  return seen;
}

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    for (const [name, vocab] of [
      ['llama, tied, grouped', 3003],
      ['qwen3, untied', 1024],
      ['gemma3, softcaps', 2050],
    ])
      test(`${name}: parts no larger than a layer, and the bits of one`, async (t) => {
        const config = { ...configs[name], vocab_size: vocab };
        const model = await loadModel(asSafetensors(tiny(config)), { engine });
        const { layers } = model.config;
        // every look at the clock finds the time of a slice gone
        let now = 0;
        t.mock.method(performance, 'now', () => (now += 1e6));
        const want = model.prefill([7]).logits.slice();
        model.cache.clear();

        const seen = watch(t, 1);
        for await (const { token } of model.generate([7], { maxTokens: 1 })) assert.ok(token >= 0);

        const parts = seen.remaining[0] - layers;
        assert.ok(parts > 1, `${parts} parts`);
        assert.ok(vocab / parts <= layerOf(config), `${vocab / parts} of ${layerOf(config)} rows`);
        assert.deepEqual(
          seen.remaining,
          Array.from({ length: layers + parts }, (_, step) => layers + parts - step),
          'one by one',
        );
        sameArray(seen.logits[0], want, 'logits');
        model.dispose();
      });

    test('a prompt, whose layers are longer, has fewer parts', async (t) => {
      const config = { ...configs['llama, tied, grouped'], vocab_size: 3003 };
      const model = await loadModel(asSafetensors(tiny(config)), { engine });
      const seen = watch(t, 64);
      model.prefill(Array.from({ length: 64 }, (_, x) => x));
      assert.deepEqual(seen.remaining, [model.config.layers + 1]);
      model.dispose();
    });

    test('a fast output makes no slice of the next pass longer', async (t) => {
      const model = await loadModel(asSafetensors(tiny(configs['llama, tied, grouped'])), {
        engine,
      });
      const { layers } = model.config;
      let now = 0;
      t.mock.method(performance, 'now', () => now);
      const { run } = Pass.prototype;
      const slices = [];
      t.mock.method(Pass.prototype, 'run', function (steps) {
        const before = this.remaining;
        const whole = run.call(this, steps);
        const ran = before - this.remaining;
        // a layer takes a slice, and the last step, the output, no time
        now += 30 * (this.remaining ? ran : ran - 1);
        slices.push(ran);
        return whole;
      });
      for (let text = 0; text < 2; text++) {
        for await (const { token } of model.generate([1, 5, 9], { maxTokens: 1 }))
          assert.ok(token >= 0);
        model.cache.clear();
      }
      assert.deepEqual(slices, Array(2 * (layers + 1)).fill(1));
      model.dispose();
    });
  });
