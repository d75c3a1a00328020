/**
 * The forward pass of every architecture against plain float64 passes of their own (forward.js), on
 * tiny random models; and the promises about its bits, its statistics and its rows.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Decoder } from '../../../src/js/model/run/decoder.js';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray, sameBits } from '../../support/bits.js';
import { engines } from '../../support/models/engines.js';
import { trapped } from '../../support/faults.js';
import { forward } from '../../support/models/forward.js';
import { random } from '../../support/random.js';
import { asGguf, asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const tokensOf = (seed, count, vocab) => {
  const r = random(seed);
  return Array.from({ length: count }, () => r.integer(0, vocab - 1));
};
const largest = (list) => list.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
const difference = (a, b) => a.reduce((most, x, at) => Math.max(most, Math.abs(x - b[at])), 0);
/** With its own attention scale and softcap GGUF cannot say it. */
const inGguf = (config) => !config.attn_logit_softcapping;

/**
 * float32 rounding in a few layers of random weights; the attention's logits reach 30 here, which
 * multiplies the error of their terms. Measured: up to 3e-6.
 */
const LOGITS = 1e-5;

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

    const model = tiny(configs['llama, tied, grouped']);
    const gemma = tiny(configs.gemma3);
    const tokens = tokensOf(3, 30, 64);

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

    test('statistics are what the weights say', async () => {
      for (const source of [model, gemma]) {
        const loaded = await loadModel(asSafetensors(source), { engine });
        const { heads: count } = loaded.config;
        for (const [at, token] of tokens.entries()) {
          const { heads } = loaded.step(token, { observe: 'weights' });
          assert.equal(heads.weights.length, loaded.config.layers * count);
          for (const { layer, head, weights } of heads.weights) {
            const x = layer * count + head;
            const local = loaded.config.localLayers[layer];
            const n = local ? Math.min(at + 1, loaded.config.slidingWindow) : at + 1;
            assert.equal(weights.length, at + 1);
            assert.equal(heads.n[x], n);
            const entropy = -weights.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
            // weights are float32, whose rounding an entropy of up to log n multiplies by at most
            // log(1/p) for the small ones
            const close = (a, b, what) =>
              assert.ok(
                Math.abs(a - b) < 2e-6 * (1 + Math.log(n)),
                `${what} of ${layer}, ${head} at ${at}: ${a}, not ${b}`,
              );
            close(heads.entropy[x], entropy, 'entropy');
            close(heads.kl[x], Math.log(n) - entropy, 'kl');
            assert.equal(heads.effectiveKeys[x], Math.fround(Math.exp(heads.entropy[x])));
            close(heads.maxWeight[x], Math.max(...weights), 'largest weight');
            assert.equal(weights[heads.argmax[x]], Math.max(...weights), 'where it is');
            close(heads.firstWeight[x], weights[0], 'weight of the first position');
            close(
              weights.reduce((a, b) => a + b),
              1,
              'sum',
            );
          }
        }
        loaded.dispose();
      }
    });

    test('observing changes no bit, and chosen heads are those asked for', async () => {
      const a = await loadModel(asSafetensors(model), { engine });
      const b = await loadModel(asSafetensors(model), { engine });
      for (const token of tokens) {
        const plain = a.step(token);
        const seen = b.step(token, {
          observe: 'weights',
          heads: [
            [2, 1],
            [0, 3],
            [2, 0],
          ],
        });
        assert.equal(plain.heads, undefined);
        sameArray(seen.logits, plain.logits, 'logits');
        assert.deepEqual(
          seen.heads.weights.map(({ layer, head }) => [layer, head]),
          [
            [2, 1],
            [2, 0],
            [0, 3],
          ],
        );
        for (const { layer, head, weights } of seen.heads.weights)
          sameArray(b.row(layer, head, b.cache.length - 1).weights, weights, 'row');
      }
      a.dispose();
      b.dispose();
    });

    test('a row of the past has the bits it had, and looking changes nothing', async () => {
      const loaded = await loadModel(asSafetensors(gemma), { engine });
      const seen = tokens.map((token) => loaded.step(token, { observe: 'weights' }).heads.weights);
      const before = loaded.cache.snapshot();
      for (const position of [0, 1, 7, 15, 29])
        for (const { layer, head, weights } of seen[position])
          sameArray(
            loaded.row(layer, head, position).weights,
            weights,
            `row ${layer}, ${head}, ${position}`,
          );
      sameBits(loaded.cache.snapshot(), before);
      loaded.dispose();
    });

    test('the temperature of a head is that of float64, and moves no other head', async () => {
      const source = tiny(configs['gemma3, softcaps']);
      const loaded = await loadModel(asSafetensors(source), { engine });
      const plain = await loadModel(asSafetensors(source), { engine });
      const set = [
        [0, 1, 0.5],
        [1, 0, 3],
        [1, 2, 0],
        [1, 3, Infinity],
        [4, 2, 0.1],
      ];
      const T = (layer, head) => set.find(([l, h]) => l === layer && h === head)?.[2] ?? 1;
      for (const [layer, head, temperature] of set) loaded.setTemperature(temperature, layer, head);
      assert.equal(loaded.temperature(1, 2), 0);
      const want = forward(source, tokens, { temperature: T });
      const others = plain.prefill(tokens, { observe: 'weights' });
      const { logits, heads } = loaded.prefill(tokens, { observe: 'weights' });
      assert.ok(difference(want.at(-1).logits, logits) < LOGITS * largest(logits), 'logits');
      for (const { layer, head, weights } of heads.weights) {
        const exact = want.at(-1).layers[layer].weights[head];
        assert.ok(
          difference(exact, weights) < LOGITS / Math.min(1, T(layer, head) || 1),
          `weights of ${layer}, ${head}`,
        );
        const x = (layer * 4 + head) * tokens.length + tokens.length - 1;
        assert.ok(
          Math.abs(heads.maxWeight[x] - Math.max(...exact)) < LOGITS * 10,
          `largest weight of ${layer}, ${head}`,
        );
        assert.ok(
          Math.abs(heads.firstWeight[x] - exact[0]) < LOGITS * 10,
          `first weight of ${layer}, ${head}`,
        );
        if (layer === 0 && head !== 1)
          sameArray(
            weights,
            others.heads.weights.find((each) => each.layer === 0 && each.head === head).weights,
            `head ${head}`,
          );
      }
      loaded.setTemperature(1);
      loaded.cache.clear();
      sameArray(loaded.prefill(tokens).logits, others.logits, 'back at 1');
      loaded.dispose();
      plain.dispose();
    });

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
      for (const [cacheType, most, size] of [
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
        assert.ok(error < most && error > 1e-6, `${cacheType}: ${error} of the largest logit`);
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

    test('what is observed has what was asked for, and no more', async () => {
      const loaded = await loadModel(asSafetensors(model), { engine });
      const of = (options) => loaded.step(tokens[0], options).heads;
      assert.deepEqual([of(), of({}), of({ observe: 'none' })], [undefined, undefined, undefined]);
      assert.ok(of({ observe: 'stats' }).entropy && !('weights' in of({ observe: 'stats' })));
      assert.deepEqual(of({ observe: 'weights', heads: [] }).weights, []);
      loaded.dispose();
    });

    test('heads that are asked for are read once, before anything runs', async () => {
      const loaded = await loadModel(asSafetensors(model), { engine });
      const want = loaded.prefill(tokens, { observe: 'weights', heads: [[1, 3]] });
      loaded.cache.clear();
      let reads = 0;
      const pair = trapped([1, 3], () => reads++, 99);
      const got = loaded.prefill(tokens, { observe: 'weights', heads: [pair] });
      sameArray(got.heads.weights[0].weights, want.heads.weights[0].weights, 'the row');
      assert.deepEqual([got.heads.weights[0].layer, got.heads.weights[0].head, reads], [1, 3, 2]);
      loaded.dispose();
    });

    test('an error loses nothing', async () => {
      const loaded = await loadModel(asSafetensors(model), { engine, context: 20 });
      const { capacity } = loaded.cache;
      assert.equal(capacity, 20);
      loaded.prefill(tokens.slice(0, 15));
      const before = loaded.cache.snapshot();
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
        ['SHAPE', () => loaded.cache.restore({ ...before, tokens: before.tokens.slice(1) })],
        [
          'INTEGRITY',
          () =>
            loaded.cache.restore({
              ...before,
              layers: before.layers.map((x, layer) =>
                layer === 2 ? x.map((byte, at) => (at === 100 ? byte ^ 1 : byte)) : x,
              ),
            }),
        ],
      ]) {
        assert.throws(bad, { name: 'ClearheadError', code }, String(bad));
        sameBits(loaded.cache.snapshot(), before, String(bad));
      }
      const fresh = await loadModel(asSafetensors(model), { engine });
      assert.throws(() => fresh.row(0, 0, 0), {
        code: 'RANGE',
        message: 'position is 0; expected a call after something has been read',
      });
      fresh.prefill(tokens.slice(0, 15));
      sameArray(loaded.step(7).logits, fresh.step(7).logits, 'the next token');
      loaded.cache.restore(before);
      sameArray(
        loaded.step(7).logits,
        (fresh.cache.truncate(15), fresh.step(7).logits),
        'after restore',
      );
      loaded.dispose();
      loaded.dispose();
      assert.throws(() => loaded.step(1), { code: 'DISPOSED' });
      fresh.dispose();
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

/** SmolLM2-135M and Qwen3-0.6B, and a tiny one. */
const CHUNKED = [
  [3.5e6, 9, 64, 8192],
  [15.7e6, 16, 128, 40960],
  [1000, 2, 8, 512],
].map(([cost, heads, headDim, reach]) => ({
  cost,
  heads,
  headDim,
  reach,
  chunk: (length, left) =>
    Decoder.prototype.chunk.call({ cost, config: { heads, headDim } }, length, left),
}));

test('the further a prompt is read, the fewer tokens go together', () => {
  for (const { cost, heads, headDim, reach, chunk } of CHUNKED) {
    const layer = (length, count) => count * (cost + 2 * heads * headDim * (length + count));
    for (let length = 0, before = 256; length < reach; length += 64) {
      const most = chunk(length, 1e9);
      assert.ok(
        most <= before &&
          (most === 8 ||
            (layer(length, most) <= 1.25e9 && (most === 256 || layer(length, most) > 2.5e8))),
        `${most} behind ${length}, ${before} before`,
      );
      before = most;
    }
  }
});

test('none of the chunks of a prompt is a small rest', () => {
  for (const { reach, chunk } of CHUNKED)
    for (const tokens of [1, 5, 8, 9, 255, 256, 257, 260, 510, 512, 896, 1025].filter(
      (count) => count < reach,
    ))
      for (let at = 0, count; at < tokens; at += count) {
        const left = tokens - at;
        const most = chunk(at, 1e9);
        count = chunk(at, left);
        assert.ok(count % 4 === 0 && count <= most, `${count} of ${left} behind ${at}`);
        assert.ok(
          count >= tokens || Math.min(count, left) >= most / 2 - 4,
          `${count} of ${left} behind ${at}, of at most ${most}`,
        );
      }
});
