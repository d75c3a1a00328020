/** A cache and its snapshots belong to one model, to tokens and to temperatures. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray, sameBits } from '../../support/bits.js';
import { asGguf, configs, tiny } from '../../support/models/random-models.js';
import { all, engine, ids, load, prompt, slow } from '../../support/models/texts.js';

test('a change of the attention temperature has later prompts read anew', async () => {
  const model = await load();
  const fresh = await load();
  await all(model.generate(prompt, { maxTokens: 5 }));
  model.setTemperature(0.2, 1);
  fresh.setTemperature(0.2, 1);
  assert.deepEqual(
    ids(await all(model.generate(prompt, { maxTokens: 5 }))),
    ids(await all(fresh.generate(prompt, { maxTokens: 5 }))),
  );
  sameBits({ ...model.cache.snapshot().layers }, { ...fresh.cache.snapshot().layers });
});

test('a snapshot knows its attention temperatures, and other tokens are read anew', async () => {
  const model = await load();
  const fresh = await load();
  const run = (m) => all(m.generate(prompt, { maxTokens: 2, logprobs: 1 }));
  model.prefill(prompt);
  const cold = model.cache.snapshot();
  model.setTemperature(3);
  fresh.setTemperature(3);
  const want = await run(fresh);
  model.cache.restore(cold);
  assert.deepEqual(await run(model), want);
  // one that was read with both, whichever is set when a prompt comes
  model.cache.restore(cold);
  model.step(7);
  const mixed = model.cache.snapshot();
  assert.deepEqual([...new Set(mixed.temperatures), mixed.alike], [1, prompt.length]);
  for (const temperature of [3, 1]) {
    for (const m of [model, fresh]) m.setTemperature(temperature);
    fresh.cache.clear();
    model.cache.restore(mixed);
    const longer = [...prompt, 7, 8];
    const of = (m) => all(m.generate(longer, { maxTokens: 2, logprobs: 1 }));
    assert.deepEqual(await of(model), await of(fresh));
  }
  for (const bad of [
    { temperatures: undefined },
    { temperatures: new Float64Array(3) },
    { temperatures: new Float64Array(12).fill(-1) },
    { temperatures: new Float64Array(12).fill(NaN) },
    { alike: -1 },
    { alike: 0.5 },
    { alike: undefined },
  ]) {
    const before = model.cache.snapshot();
    assert.throws(() => model.cache.restore({ ...cold, ...bad }), {
      name: 'ClearheadError',
      message: /snapshot\.(temperatures|alike)/,
    });
    sameBits(model.cache.snapshot(), before);
  }
});

test('a snapshot is of the same model and of its tokens, or changes nothing', async () => {
  const make = (seed) => tiny(configs['llama, tied, grouped'], seed);
  const model = await load();
  const twin = await loadModel(asGguf(make()), { engine });
  model.prefill(prompt);
  const good = model.cache.snapshot();
  const bare = make();
  twin.cache.restore(good);
  sameArray(twin.step(7).logits, model.step(7).logits, 'the same model, loaded twice');
  model.cache.restore(good);
  bare.tensors['model.layers.2.mlp.down_proj.weight'].data.fill(1);
  for (const other of [
    await loadModel(asGguf(make(2)), { engine }),
    await loadModel(asGguf(bare), { engine }),
    await load({ quantize: 'q8' }),
  ])
    assert.throws(() => other.cache.restore(good), {
      name: 'ClearheadError',
      code: 'FORMAT',
      message: /^snapshot is of another model; expected one of this model/,
    });
  for (const [code, bad] of [
    ['ARG', { model: undefined }],
    ['FORMAT', { model: good.model ^ 1 }],
    ['ARG', { tokens: [...good.tokens] }],
    ['RANGE', { tokens: good.tokens.map((id, at) => (at === 2 ? 64 : id)) }],
    ['RANGE', { tokens: good.tokens.map((id, at) => (at === 2 ? -1 : id)) }],
  ]) {
    assert.throws(() => model.cache.restore({ ...good, ...bad }), { name: 'ClearheadError', code });
    sameBits(model.cache.snapshot(), good);
  }
  // every bit of a snapshot beside its layers
  for (const field of ['tokens', 'temperatures']) {
    const bytes = new Uint8Array(good[field].slice().buffer);
    for (let at = 0; at < bytes.length * 8; at++) {
      const damaged = bytes.slice();
      damaged[at >> 3] ^= 1 << (at & 7);
      assert.throws(
        () =>
          model.cache.restore({ ...good, [field]: new good[field].constructor(damaged.buffer) }),
        (error) => error.name === 'ClearheadError' && /^(INTEGRITY|RANGE)$/.test(error.code),
      );
    }
  }
  for (const bad of [
    { alike: good.alike - 1 },
    { checksum: good.checksum ^ 1 },
    { checksum: undefined },
  ])
    assert.throws(() => model.cache.restore({ ...good, ...bad }), {
      code: 'INTEGRITY',
      message: /checksum/,
    });
  sameBits(model.cache.snapshot(), good);
  // whole layers, but another text's, or in another order
  model.cache.clear();
  model.prefill([...prompt].reverse());
  const other = model.cache.snapshot();
  const [first, second, ...others] = good.layers;
  for (const layers of [
    other.layers,
    [second, first, ...others],
    [other.layers[0], second, ...others],
  ]) {
    assert.throws(() => model.cache.restore({ ...good, layers }), {
      name: 'ClearheadError',
      code: 'INTEGRITY',
      message: /checksum/,
    });
    sameBits(model.cache.snapshot(), other);
  }
  model.cache.restore(good);
  sameBits(model.cache.snapshot(), good);
});

test('the cache of a model that was disposed of says so, however its memory is used', async () => {
  const model = await load();
  const { cache } = model;
  model.prefill(prompt);
  const good = cache.snapshot();
  model.dispose();
  for (const fill of [0, 1e30, -1e30]) {
    const taker = engine.tensor([2 ** 16]);
    taker.data.fill(fill);
    for (const use of [
      () => cache.snapshot(),
      () => cache.restore(good),
      () => cache.clear(),
      () => cache.truncate(0),
    ])
      assert.throws(use, {
        name: 'ClearheadError',
        code: 'DISPOSED',
        message: /^cache is disposed of/,
      });
    assert.ok(taker.data.every((x) => x === Math.fround(fill)));
    taker.dispose();
  }
  assert.deepEqual([cache.length, cache.bytes, cache.tokens.length], [0, 0, 0]);
});

test('an attention temperature set within a token holds from the next one on', async () => {
  const model = await loadModel(slow(), { engine });
  const tokens = Array.from({ length: 12 }, (_, at) => 3 + 5 * at);
  const first = async (meanwhile) => {
    model.cache.clear();
    model.setTemperature(1);
    const text = model.generate(tokens, { maxTokens: 2, logprobs: 1 });
    const next = text.next();
    if (meanwhile) setTimeout(meanwhile, 30);
    const { value } = await next;
    await text.return();
    return value;
  };
  const want = await first();
  let midway = false;
  const got = await first(() => {
    midway = model.cache.length === 0;
    model.setTemperature(0);
    assert.equal(model.temperature(3, 0), 0);
  });
  assert.ok(midway);
  assert.deepEqual(got, want);
  assert.equal(model.cache.snapshot().temperatures[0], 1);
  assert.notDeepEqual(
    (await all(model.generate(tokens, { maxTokens: 1, logprobs: 1 })))[0].logprob,
    want.logprob,
  );
  model.dispose();
});
