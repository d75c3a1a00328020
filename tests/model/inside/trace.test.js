/** A trace is the numbers of the layers, of the float64 pass and bit for bit however it is cut. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray, sameBits } from '../../support/bits.js';
import { LOGITS, difference, largest, tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { forward } from '../../support/models/forward.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const POINTS = ['resid_pre', 'z', 'attn_out', 'resid_mid', 'mlp_out', 'resid_post'];
const ALL = [...POINTS, 'pattern', 'final_scale'];

/** The points of a float64 pass, as a trace has them. */
function reference(model, tokens) {
  const rows = {};
  const passes = forward(model, tokens, {
    hook: (name, layer, position, x) => void ((rows[name] ??= {})[[layer, position]] = x),
  });
  const { num_hidden_layers: layers, rms_norm_eps: eps } = model.config;
  const flat = (name) =>
    Array.from({ length: layers }, (_, layer) =>
      tokens.flatMap((_, position) => [...rows[name][[layer, position]]]),
    ).flat();
  const { num_attention_heads: heads } = model.config;
  return {
    ...Object.fromEntries(POINTS.map((name) => [name, flat(name)])),
    pattern: Array.from({ length: layers * heads }, (_, x) =>
      passes.flatMap(({ layers: seen }) => {
        const weights = seen[Math.floor(x / heads)].weights[x % heads];
        return tokens.map((_, key) => weights[key] ?? 0);
      }),
    ).flat(),
    final_scale: tokens.map((_, position) => {
      const x = rows.resid_post[[layers - 1, position]];
      return Math.sqrt(x.reduce((sum, value) => sum + value * value, 0) / x.length + eps);
    }),
  };
}

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    for (const [name, config] of Object.entries(configs))
      test(`${name}: every record is that of float64`, async () => {
        const model = tiny(config);
        const tokens = tokensOf(7, 21, config.vocab_size);
        const loaded = await loadModel(asSafetensors(model), { engine });
        const trace = await loaded.trace(tokens, { record: ALL });
        const want = reference(model, tokens);
        for (const each of ALL) {
          assert.equal(trace[each].length, want[each].length, each);
          const error = difference(want[each], trace[each]) / largest(want[each]);
          assert.ok(error < LOGITS, `${each}: ${error} of the largest`);
        }
        sameArray(trace.logits, freshLogits(loaded, tokens));
        loaded.dispose();
      });

    const gemma = tiny(configs.gemma3);
    const tokens = tokensOf(3, 30, 64);
    const load = () => loadModel(asSafetensors(gemma), { engine });

    test('layers and positions are those of the whole trace, and bytes as stated', async () => {
      const loaded = await load();
      const { modelDim, heads, headDim } = loaded.config;
      const whole = await loaded.trace(tokens, { record: ALL });
      const options = { record: ALL, layers: [6, 2], positions: [29, 3, 4] };
      const some = await loaded.trace(tokens, options);
      assert.deepEqual(
        [some.layers, [...some.positions]],
        [
          [2, 6],
          [3, 4, 29],
        ],
      );
      const part = (array, rows, width) =>
        Float32Array.from(
          [2, 6].flatMap((layer) =>
            Array.from({ length: rows }, (_, row) =>
              [3, 4, 29].flatMap((position) => {
                const at = ((layer * rows + row) * tokens.length + position) * width;
                return [...array.subarray(at, at + width)];
              }),
            ).flat(),
          ),
        );
      for (const each of POINTS)
        sameArray(some[each], part(whole[each], 1, each === 'z' ? heads * headDim : modelDim));
      sameArray(some.pattern, part(whole.pattern, heads, tokens.length));
      sameArray(
        some.final_scale,
        whole.final_scale.filter((_, position) => [3, 4, 29].includes(position)),
      );
      const bytes = ALL.reduce((sum, each) => sum + some[each].byteLength, 0);
      assert.equal(loaded.traceBytes(tokens, options), bytes);
      loaded.dispose();
    });

    test('a trace in parts, and one behind tokens of the cache, have the same bits', async () => {
      const loaded = await load();
      const whole = await loaded.trace(tokens, { record: ALL, positions: [17, 29] });
      const parts = [];
      const none = await loaded.trace(tokens, { record: ALL, onPart: (part) => parts.push(part) });
      assert.equal(none.z, undefined);
      assert.deepEqual(
        parts.flatMap(({ positions }) => [...positions]),
        [...tokens.keys()],
      );
      const last = parts.at(-1);
      assert.equal(last.keys, tokens.length);
      const count = last.positions.length;
      const { layers } = loaded.config;
      for (let layer = 0; layer < layers; layer++) {
        const size = last.z.length / layers / count;
        sameArray(
          last.z.slice(((layer + 1) * count - 1) * size, (layer + 1) * count * size),
          whole.z.slice((2 * layer + 1) * size, (2 * layer + 2) * size),
        );
      }
      loaded.cache.clear();
      loaded.prefill(tokens.slice(0, 17));
      const behind = await loaded.trace(tokens, { record: ALL, positions: [17, 29] });
      for (const each of ALL) sameArray(behind[each], whole[each], each);
      sameArray(behind.logits, whole.logits);
      loaded.dispose();
    });

    test('texts, prefill and steps record the token that predicts, as the trace does', async () => {
      const loaded = await load();
      const options = { record: ALL, layers: [0, 6] };
      const texts = [];
      for await (const { token, trace } of loaded.generate(tokens, {
        maxTokens: 3,
        trace: options,
      }))
        texts.push({ token, trace });
      const whole = [...tokens, ...texts.map(({ token }) => token)];
      loaded.cache.clear();
      const read = loaded.prefill(tokens, { trace: options, observe: 'stats' });
      sameBits(read.trace, texts[0].trace, 'prefill');
      for (const [at, { token, trace }] of texts.entries()) {
        const count = tokens.length + at;
        const want = await loaded.trace(whole.slice(0, count), { ...options, positions: 'last' });
        assert.equal(trace.keys, count);
        assert.deepEqual([...trace.positions], [count - 1]);
        for (const each of ALL) sameArray(trace[each], want[each], `${each} of token ${at}`);
        const next = loaded.step(token, { trace: options }).trace;
        if (at + 1 < texts.length) sameBits(next, texts[at + 1].trace, 'step');
      }
      assert.throws(() => loaded.step(1, { trace: { record: ['q'] } }), { code: 'ARG' });
      assert.equal(loaded.step(1).trace, undefined);
      loaded.dispose();
    });

    test('an abort ends a trace, and gives its memory back', async () => {
      const loaded = await load();
      const want = await loaded.trace(tokens, { record: ALL });
      const top = () => {
        const tensor = engine.tensor([1]);
        const at = tensor.data.byteOffset;
        tensor.dispose();
        return at;
      };
      const before = top();
      const reason = new Error('enough');
      const signals = [AbortSignal.abort(reason), undefined];
      for (const signal of signals) {
        const abort = new AbortController();
        const options = { record: ALL, signal: signal ?? abort.signal };
        const traced = loaded.trace(tokens, options);
        abort.abort(reason);
        await assert.rejects(traced, reason);
        assert.equal(top(), before);
      }
      sameBits(await loaded.trace(tokens, { record: ALL }), want);
      loaded.dispose();
    });

    test('more bytes than allowed are refused before a token is read', async () => {
      const loaded = await load();
      loaded.prefill([1, 2, 3]);
      const options = { record: ['pattern'] };
      const bytes = loaded.traceBytes(tokens, options);
      await assert.rejects(loaded.trace(tokens, { ...options, maxBytes: bytes - 1 }), {
        code: 'LIMIT',
        message: new RegExp(`the trace has ${bytes} bytes; expected at most ${bytes - 1}`),
      });
      assert.deepEqual([...loaded.cache.tokens], [1, 2, 3]);
      await loaded.trace(tokens, { ...options, maxBytes: bytes });
      loaded.dispose();
    });
  });

/** The logits of a prompt without a trace. */
function freshLogits(loaded, tokens) {
  loaded.cache.clear();
  return loaded.prefill(tokens).logits;
}
