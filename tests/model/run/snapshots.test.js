/** A cache and its snapshots belong to one model, to tokens and to temperatures. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
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

describe('a snapshot knows its attention temperatures', () => {
  let model;
  let fresh;
  let cold;
  before(async () => {
    [model, fresh] = [await load(), await load()];
    model.prefill(prompt);
    cold = model.cache.snapshot();
  });
  after(() => [model, fresh].forEach((each) => each.dispose()));
  const written = (of, tokens = prompt) => all(of.generate(tokens, { maxTokens: 2, logprobs: 1 }));

  test('tokens that were read with another are read anew', async () => {
    for (const each of [model, fresh]) each.setTemperature(3);
    model.cache.restore(cold);
    assert.deepEqual(await written(model), await written(fresh));
  });

  for (const temperature of [3, 1])
    test(`of tokens read with two, one part is read anew for ${temperature}`, async () => {
      model.setTemperature(3);
      model.cache.restore(cold);
      model.step(7);
      const mixed = model.cache.snapshot();
      assert.deepEqual([...new Set(mixed.temperatures), mixed.alike], [1, prompt.length]);
      for (const each of [model, fresh]) each.setTemperature(temperature);
      fresh.cache.clear();
      model.cache.restore(mixed);
      const longer = [...prompt, 7, 8];
      assert.deepEqual(await written(model, longer), await written(fresh, longer));
    });

  for (const bad of [
    { temperatures: undefined },
    { temperatures: new Float64Array(3) },
    { temperatures: new Float64Array(12).fill(-1) },
    { temperatures: new Float64Array(12).fill(NaN) },
    { alike: -1 },
    { alike: 0.5 },
    { alike: undefined },
  ])
    test(`${inspect(bad)} is refused and changes nothing`, () => {
      const earlier = model.cache.snapshot();
      assert.throws(() => model.cache.restore({ ...cold, ...bad }), {
        name: 'ClearheadError',
        message: /snapshot\.(temperatures|alike)/,
      });
      sameBits(model.cache.snapshot(), earlier);
    });
});

describe('a snapshot is of the same model and of its tokens', () => {
  const make = (seed) => tiny(configs['llama, tied, grouped'], seed);
  let model;
  let good;
  before(async () => {
    model = await load();
    model.prefill(prompt);
    good = model.cache.snapshot();
  });
  after(() => model.dispose());
  /** This is refused, and the cache is as it was. */
  function refused(change, expected) {
    const earlier = model.cache.snapshot();
    assert.throws(() => model.cache.restore({ ...good, ...change }), {
      name: 'ClearheadError',
      ...expected,
    });
    sameBits(model.cache.snapshot(), earlier);
  }
  const CHECKSUM = { code: 'INTEGRITY', message: /checksum/ };

  test('the same model, loaded twice, takes it and goes on with the same bits', async () => {
    const twin = await loadModel(asGguf(make()), { engine });
    twin.cache.restore(good);
    sameArray(twin.step(7).logits, model.step(7).logits, 'logits');
    model.cache.restore(good);
  });

  test('another model refuses it, though it differs in a matrix alone', async () => {
    const changed = make();
    changed.tensors['model.layers.2.mlp.down_proj.weight'].data.fill(1);
    for (const other of [
      await loadModel(asGguf(make(2)), { engine }),
      await loadModel(asGguf(changed), { engine }),
      await load({ quantize: 'q8' }),
    ])
      assert.throws(() => other.cache.restore(good), {
        name: 'ClearheadError',
        code: 'FORMAT',
        message: /^snapshot is of another model; expected one of this model/,
      });
  });

  test('another model or token in it is refused, and changes nothing', () => {
    const withThird = (token) => good.tokens.map((id, at) => (at === 2 ? token : id));
    refused({ model: undefined }, { code: 'ARG' });
    refused({ model: good.model ^ 1 }, { code: 'FORMAT' });
    refused({ tokens: [...good.tokens] }, { code: 'ARG' });
    refused({ tokens: withThird(64) }, { code: 'RANGE' });
    refused({ tokens: withThird(-1) }, { code: 'RANGE' });
  });

  test('a wrong checksum, or one of other numbers, is refused and changes nothing', () => {
    refused({ alike: good.alike - 1 }, CHECKSUM);
    refused({ checksum: good.checksum ^ 1 }, CHECKSUM);
    refused({ checksum: undefined }, CHECKSUM);
  });

  for (const field of ['tokens', 'temperatures'])
    test(`a bit of its ${field} that flips is noticed, and changes nothing`, () => {
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
      sameBits(model.cache.snapshot(), good);
    });

  test('layers of another text, or in another order, are refused and change nothing', () => {
    model.cache.clear();
    model.prefill([...prompt].reverse());
    const other = model.cache.snapshot();
    const [first, second, ...others] = good.layers;
    refused({ layers: other.layers }, CHECKSUM);
    refused({ layers: [second, first, ...others] }, CHECKSUM);
    refused({ layers: [other.layers[0], second, ...others] }, CHECKSUM);
    model.cache.restore(good);
    sameBits(model.cache.snapshot(), good);
  });
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
