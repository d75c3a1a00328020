/** A sweep computes anew behind the change alone, and gives the logits of a whole pass with it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memories } from '../../../src/js/engine/memory.js';
import { loadModel } from '../../../src/js/model/index.js';
import { tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { forward } from '../../support/models/forward.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const softmax = (logits) => {
  const max = Math.max(...logits);
  const p = Array.from(logits, (x) => Math.exp(x - max));
  const sum = p.reduce((a, b) => a + b, 0);
  return p.map((x) => x / sum);
};
const METRICS = {
  logprob: (logits, _, { token }) => Math.log(softmax(logits)[token]),
  difference: (logits, _, { token, against }) => logits[token] - logits[against],
  kl: (logits, before) => {
    const [p, q] = [softmax(before), softmax(logits)];
    return p.reduce((sum, x, id) => sum + x * Math.log(x / q[id]), 0);
  },
};
const likeliest = (logits) => logits.indexOf(Math.max(...logits));

/** Every change of a sweep by whole passes in float64. */
function reference(source, ids, { over = 'z', ablate, from, metric = 'logprob', ...tokens }) {
  const { num_hidden_layers: layers, num_attention_heads: heads } = source.config;
  const run = (list, hook) => Float64Array.from(forward(source, list, { hook }).at(-1).logits);
  const record = (list) => {
    const seen = {};
    const logits = run(list, (name, layer, position, y) => {
      if (name === over) seen[`${layer} ${position}`] = y.slice();
    });
    return { seen, logits };
  };
  const before = record(ids);
  const other = from && record(from);
  const meanOf = (layer) =>
    ids
      .map((_, position) => before.seen[`${layer} ${position}`])
      .reduce((sum, y) => sum.map((x, c) => x + y[c]))
      .map((x) => x / ids.length);
  const token = tokens.token ?? likeliest([...before.logits]);
  const measure = (logits) => METRICS[metric](logits, before.logits, { ...tokens, token });
  const columns = over === 'z' ? heads : ids.length;
  const changes = [];
  const answers = [];
  for (let at = 0; at < layers * columns; at++) {
    const [layer, x] = [Math.floor(at / columns), at % columns];
    const mean = ablate === 'mean' && meanOf(layer);
    const logits = run(ids, (name, l, position, y) => {
      if (name !== over || l !== layer || (over !== 'z' && position !== x)) return undefined;
      const d = y.length / heads;
      const inside = (c) => over !== 'z' || Math.floor(c / d) === x;
      const value = other?.seen[`${l} ${position}`] ?? mean;
      return y.map((own, c) => (inside(c) ? (value ? value[c] : 0) : own));
    });
    changes.push(measure(logits) - measure(before.logits));
    answers.push(likeliest([...logits]));
  }
  return { base: measure(before.logits), changes, answers, source: other && measure(other.logits) };
}

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    const ids = tokensOf(21, 9, 64);
    const from = tokensOf(22, 9, 64);
    for (const [name, options] of [
      ['llama, tied, grouped', {}],
      ['llama, biases everywhere', { ablate: 'mean', metric: 'kl' }],
      ['qwen3, wide heads', { from, metric: 'difference', token: 3, against: 9 }],
      ['gemma3', { metric: 'kl' }],
      ['llama, tied, grouped', { over: 'resid_pre', from, metric: 'kl' }],
      ['qwen2', { over: 'attn_out', token: 5 }],
      ['gemma3', { over: 'mlp_out', ablate: 'mean' }],
    ])
      test(`${name}, ${JSON.stringify(options)}: as whole passes`, async () => {
        const source = tiny(configs[name]);
        const model = await loadModel(asSafetensors(source), { engine });
        const got = await model.sweep(ids, options);
        const want = reference(source, ids, options);
        const { layers, heads } = model.config;
        assert.deepEqual(got.shape, [layers, options.over ? ids.length : heads]);
        // logits reach about 20 here, with float32 rounding of up to 1e-5 of the largest
        const close = (a, b, what) => assert.ok(Math.abs(a - b) < 1e-3, `${what}: ${a}, not ${b}`);
        close(got.base, want.base, 'base');
        if (options.from) close(got.source, want.source, 'the other prompt');
        want.changes.forEach((change, at) => close(got.changes[at], change, `change ${at}`));
        assert.deepEqual([...got.answers], want.answers);
        assert.ok(Math.max(...got.changes.map(Math.abs)) > 0.05, 'some change matters');
        model.dispose();
      });

    test('each run goes through the layers and tokens behind its change alone', async () => {
      const model = await loadModel(asSafetensors(tiny(configs['llama 3 rope'])), { engine });
      const passes = [];
      const { c } = memories.get(engine);
      const [begin, beginAt] = [c.attn_pass_begin, c.attn_pass_begin_at];
      c.attn_pass_begin = (...values) => (passes.push(['whole', values[4]]), begin(...values));
      c.attn_pass_begin_at = (...values) => {
        passes.push([values[6], values[4]]);
        return beginAt(...values);
      };
      try {
        await model.sweep([1, 2, 3, 4]);
        const heads = [0, 1, 2].flatMap((layer) => Array(4).fill([layer, 4]));
        assert.deepEqual(passes.splice(0), [['whole', 4], ...heads]);
        await model.sweep([1, 2, 3], { over: 'mlp_out' });
        const positions = (layer) => [['whole', 3], ...[1, 2, 3].map((count) => [layer, count])];
        assert.deepEqual(passes, [['whole', 3], ...[0, 1, 2].flatMap(positions)]);
      } finally {
        c.attn_pass_begin = begin;
        c.attn_pass_begin_at = beginAt;
      }
      model.dispose();
    });

    test('in a prompt of several chunks own values change no bit, and zeros do', async () => {
      const source = tiny({ ...configs['llama, tied, grouped'], max_position_embeddings: 320 });
      const model = await loadModel(asSafetensors(source), { engine });
      const long = tokensOf(23, 300, 64);
      const own = await model.sweep(long, { from: long });
      assert.deepEqual([own.source, ...own.changes], [own.base, ...Array(12).fill(0)]);
      const zeros = await model.sweep(long);
      assert.ok(zeros.changes.every((change) => Math.abs(change) > 1e-6));
      model.dispose();
    });

    test('progress counts runs, an abort ends them, and the cache stays as it was', async () => {
      const model = await loadModel(asSafetensors(tiny(configs.qwen2)), { engine });
      const before = [9, 8, 7];
      model.prefill(before);
      const done = [];
      await model.sweep(ids, { onProgress: (progress) => done.push(progress) });
      assert.deepEqual(
        done,
        Array.from({ length: 12 }, (_, x) => ({ done: x + 1, total: 12 })),
      );
      assert.deepEqual([...model.cache.tokens], before);
      const controller = new AbortController();
      const ended = model.sweep(ids, {
        signal: controller.signal,
        onProgress({ done: count }) {
          assert.throws(() => model.step(1), { code: 'BUSY' });
          if (count === 2) controller.abort(new Error('enough'));
        },
      });
      await assert.rejects(ended, /^Error: enough$/);
      assert.deepEqual([...model.cache.tokens], before);
      model.step(1);
      model.dispose();
    });

    test('a bad argument is refused by name', async () => {
      const model = await loadModel(asSafetensors(tiny(configs.qwen2)), { engine });
      const refused = (options, code, message) =>
        assert.rejects(model.sweep([1, 2], options), { name: 'ClearheadError', code, message });
      await refused({ over: 'heads' }, 'ARG', /^over is "heads"; expected "z" or "resid_pre"/);
      await refused({ from: [1] }, 'SHAPE', /^from is 1 tokens long; expected 2, as the prompt$/);
      await refused({ from: [1, 2], ablate: 'zero' }, 'ARG', /^ablate is given with from/);
      await refused({ metric: 'difference', token: 1 }, 'ARG', /^metric is "difference"; expected/);
      const same = { metric: 'difference', token: 5, against: 5 };
      await refused(same, 'ARG', /^against is 5, as token; expected another token$/);
      await refused({ metric: 'kl', token: 1 }, 'ARG', /^token is given; expected none with/);
      await refused({ against: 1 }, 'ARG', /^against is given; expected it with/);
      await refused({ token: 64 }, 'RANGE', /^token is 64; expected an integer from 0 to 63$/);
      await refused({ onProgress: 1 }, 'ARG', /^onProgress is 1; expected a function$/);
      model.dispose();
    });
  });
