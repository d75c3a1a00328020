/** Every architecture against the float64 reference, in any chunks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray, sameBits } from '../../support/bits.js';
import { LOGITS, difference, inGguf, largest, tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { forward } from '../../support/models/forward.js';
import { asGguf, asSafetensors, configs, tiny } from '../../support/models/random-models.js';

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    test('a model with YaRN turns by the factor of the published implementations', async () => {
      const base = configs['llama, tied, grouped'];
      const tokens = tokensOf(8, 20, base.vocab_size);
      const logits = async (more) => {
        const loaded = await loadModel(
          asSafetensors(
            tiny({
              ...base,
              rope_scaling: {
                rope_type: 'yarn',
                factor: 40,
                original_max_position_embeddings: 24,
                ...more,
              },
            }),
          ),
          { engine },
        );
        const prediction = loaded.prefill(tokens).logits.slice();
        loaded.dispose();
        return prediction;
      };
      const y = (m) => 0.1 * m * Math.log(40) + 1;
      const far = await logits({ attention_factor: 1.05 * y(1) });
      for (const [more, factor] of [
        [{}, y(1)],
        [{ mscale: 1, mscale_all_dim: 1 }, 1],
        [{ mscale: 1, mscale_all_dim: 0.707 }, y(1) / y(0.707)],
        [{ mscale: 0.707 }, y(1)],
        [{ mscale: 0.707, mscale_all_dim: 0 }, y(1)],
        [{ mscale_all_dim: 1 }, y(1)],
        [{ attention_factor: 0.9, mscale: 1, mscale_all_dim: 0.707 }, 0.9],
      ]) {
        const got = await logits(more);
        const want = await logits({ attention_factor: factor });
        assert.ok(
          difference(got, want) <= LOGITS * largest(want),
          `${JSON.stringify(more)}: ${difference(got, want)}`,
        );
        assert.ok(
          difference(got, far) > 100 * LOGITS * largest(want),
          `${JSON.stringify(more)}: the factor has no effect`,
        );
      }
    });

    for (const [name, config] of Object.entries(configs)) {
      const model = tiny(config);
      const tokens = tokensOf(7, 40, config.vocab_size);
      const want = forward(model, tokens);

      test(`${name}: logits, queries, keys, values and weights are those of float64`, async (t) => {
        let worst = 0;
        for (const source of [asSafetensors(model), ...(inGguf(config) ? [asGguf(model)] : [])]) {
          const loaded = await loadModel(source, { engine });
          tokens.forEach((token, at) => {
            const { logits } = loaded.step(token);
            const error = difference(want[at].logits, logits) / largest(want[at].logits);
            worst = Math.max(worst, error);
            assert.ok(error < LOGITS, `position ${at}: ${error} of the largest logit`);
          });
          for (const [layer, head] of [
            [0, 0],
            [1, 3],
            [config.num_hidden_layers - 1, 2],
          ]) {
            const position = tokens.length - 1 - head;
            const row = loaded.row(layer, head, position);
            const { q, k, v, weights } = want[position].layers[layer];
            const d = row.q.length;
            const kvHead = Math.floor(
              head / (config.num_attention_heads / config.num_key_value_heads),
            );
            const of = (x, h) => x.slice(h * d, (h + 1) * d);
            const past = (which) =>
              Float64Array.from(
                want
                  .slice(0, position + 1)
                  .flatMap((each) => [...of(each.layers[layer][which], kvHead)]),
              );
            assert.ok(
              difference(weights[head], row.weights) < LOGITS,
              `weights of ${layer}, ${head}`,
            );
            // rotary pairs lie in another order in a GGUF file of llama, in q and k alike
            if (source.weights || config.model_type !== 'llama') {
              assert.ok(difference(of(q, head), row.q) < LOGITS * largest(q), 'q');
              assert.ok(difference(past('k'), row.k) < LOGITS * largest(k), 'k');
            }
            assert.ok(difference(past('v'), row.v) < LOGITS * largest(v), 'v');
            assert.equal(row.q.length * (position + 1), row.k.length);
          }
          loaded.dispose();
        }
        t.diagnostic(`worst ${worst.toExponential(2)} of the largest logit`);
      });

      test(`${name}: a prompt in any chunks gives the bits of one token at a time`, async () => {
        const a = await loadModel(asSafetensors(model), { engine });
        const b = await loadModel(asSafetensors(model), { engine });
        const single = tokens.map((token) => a.step(token, { observe: 'stats' }));
        for (const sizes of [[40], [1, 39], [3, 17, 20], [13, 13, 13, 1]]) {
          // unobserved, only what has logits goes through all of the last layer
          b.cache.clear();
          let at = 0;
          for (const size of sizes)
            sameArray(
              b.prefill(tokens.slice(at, (at += size))).logits,
              single[at - 1].logits,
              `unobserved, logits after ${at}`,
            );
          sameBits(
            b.cache.snapshot().layers,
            a.cache.snapshot().layers,
            `unobserved, cache after ${sizes}`,
          );
          b.cache.clear();
          at = 0;
          for (const size of sizes) {
            const { logits, heads } = b.prefill(tokens.slice(at, at + size), { observe: 'stats' });
            at += size;
            sameArray(logits, single[at - 1].logits, `logits after ${at}`);
            for (const [statistic, all] of Object.entries(heads)) {
              const last = all.constructor.from(
                { length: all.length / size },
                (_, row) => all[(row + 1) * size - 1],
              );
              sameArray(last, single[at - 1].heads[statistic], `${statistic} after ${at}`);
            }
          }
          sameBits(
            b.cache.snapshot().layers.map((x) => x),
            a.cache.snapshot().layers,
            `cache after ${sizes}`,
          );
        }
        a.dispose();
        b.dispose();
      });
    }

    test('a prompt too long for one pass gives the bits of its parts', async () => {
      for (const name of ['llama, tied, grouped', 'gemma3']) {
        const long = asSafetensors(tiny({ ...configs[name], max_position_embeddings: 600 }));
        const ids = tokensOf(5, 530, 64);
        const whole = await loadModel(long, { engine, quantize: 'q8' });
        const parts = await loadModel(long, { engine, quantize: 'q8' });
        const want = whole.prefill(ids, { observe: 'stats' });
        parts.prefill(ids.slice(0, 101));
        const { logits, heads } = parts.prefill(ids.slice(101), { observe: 'stats' });
        sameArray(logits, want.logits, `${name}: logits`);
        for (const [statistic, all] of Object.entries(want.heads)) {
          const lines = all.length / 530;
          const behind = all.constructor.from(
            { length: lines * 429 },
            (_, at) => all[Math.floor(at / 429) * 530 + 101 + (at % 429)],
          );
          sameArray(heads[statistic], behind, `${name}: ${statistic}`);
        }
        sameBits(parts.cache.snapshot().layers, whole.cache.snapshot().layers, `${name}: cache`);
        parts.cache.clear();
        sameArray(parts.prefill(ids).logits, want.logits, `${name}: logits, unobserved`);
        sameBits(
          parts.cache.snapshot().layers,
          whole.cache.snapshot().layers,
          `${name}: cache, unobserved`,
        );
        whole.dispose();
        parts.dispose();
      }
    });
  });
