/**
 * Threads in whole models: the bits of one, and a thread that is lost in the middle of a token
 * costs nothing but time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { memories } from '../../../src/js/engine/memory.js';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray, sameBits } from '../../support/bits.js';
import { repeats } from '../../support/campaign.js';
import { threaded } from '../../support/engine/threaded.js';
import { Looks, watched } from '../../support/looks.js';
import { engines } from '../../support/models/engines.js';
import { lostWorkers } from '../../engines/lost-workers.js';
import {
  asGguf,
  asQ5_0,
  asSafetensors,
  configs,
  tiny,
} from '../../support/models/random-models.js';

/** Large enough for one token to be worth sharing out. */
const model = tiny({
  ...configs['llama, tied, grouped'],
  num_hidden_layers: 2,
  hidden_size: 512,
  intermediate_size: 1152,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  vocab_size: 500,
});
const source = asSafetensors(model);
const tokens = Array.from({ length: 90 }, (_, x) => (x * x * 7 + 3) % 500);

/**
 * The results of a model for a prompt in uneven chunks, some steps, and a look back. No call may
 * wait for a thread without an end.
 */
function history(model) {
  const call = (run) => watched(run).result;
  const results = [call(() => model.prefill(tokens.slice(0, 70), { observe: 'stats' }))];
  for (const token of tokens.slice(70))
    results.push(call(() => model.step(token, { observe: 'stats' })));
  const row = call(() => model.row(1, 5, 60));
  const cache = { ...model.cache.snapshot().layers };
  model.cache.truncate(50);
  return { ...results, row, cache, unobserved: call(() => model.prefill(tokens.slice(50))) };
}

/** How a model is loaded, and with how many threads. */
const LOADED = [
  [{}, [2, 3]],
  [{ quantize: 'q8' }, [2, 3]],
  [{ cacheType: 'f16' }, [2]],
  [{ cacheType: 'q8' }, [3]],
];

for (const { variant, ch } of engines)
  for (const [options, counts] of LOADED)
    test(`threads give the bits of one, ${JSON.stringify(options)} (${variant})`, async () => {
      const one = await loadModel(source, { engine: ch, ...options });
      const want = history(one);
      for (const threads of counts) {
        const engine = await threaded({ layers: true, variant, threads });
        const shared = await loadModel(source, { engine, ...options });
        assert.equal(engine.info.threads, threads);
        sameBits(history(shared), want, `${threads} threads`);
        assert.equal(engine.info.threads, threads, engine.info.why);
        shared.dispose();
        engine.dispose();
      }
      one.dispose();
    });

for (const { variant, ch } of engines)
  test(`weights of 5 bits lie in bytes for up to two threads (${variant})`, async () => {
    const file = asGguf(model, {}, asQ5_0);
    const one = await loadModel(file, { engine: ch });
    const want = history(one);
    const snapshot = one.cache.snapshot();
    const next = one.step(7).logits;
    // where 5 bits have products of their own they lie in bytes for nobody
    const [own, bytes] = [6, 8].map((type) => memories.get(ch).c.attn_multiply_kind(type));
    const fewer = own === bytes ? 22 / 34 : 1;
    for (const [threads, size] of [
      [2, 1],
      [3, fewer],
    ]) {
      const engine = await threaded({ layers: true, variant, threads });
      const shared = await loadModel(file, { engine });
      const { weightBytes, types } = shared.info;
      assert.equal(engine.info.threads, threads, engine.info.why);
      assert.deepEqual(types, one.info.types);
      assert.ok(
        Math.abs(weightBytes / one.info.weightBytes - size) < 0.01,
        `${weightBytes} and ${one.info.weightBytes} bytes`,
      );
      sameBits(history(shared), want, `${threads} threads`);
      shared.cache.restore(snapshot); // however its weights lie, it is the same model
      sameArray(shared.step(7).logits, next, `${threads} threads, behind what one has read`);
      shared.dispose();
      engine.dispose();
    }
    one.dispose();
  });

const one = await loadModel(source, { engine: await init({ layers: true, variant: 'simd' }) });
const want = history(one);
const when = (fault) => (fault === 'asleep' ? fault : `${fault} its pieces`);

for (const fault of ['before', 'inside', 'after', 'asleep'])
  for (const after of repeats([5], [0, 5]))
    test(`a worker lost ${when(fault)} in pass ${after} costs only time`, async () => {
      const engine = await lostWorkers(fault, after, () =>
        init({ layers: true, variant: 'simd', threads: 2 }),
      );
      const model = await loadModel(source, { engine });
      assert.equal(engine.info.threads, 2);
      // until the worker has joined a pass: one that comes late finds nothing to do
      for (let x = 0; x < 1000 && engine.info.threads > 1; x++) {
        model.cache.clear();
        sameBits(history(model), want, `history ${x}`);
        await new Promise((done) => setTimeout(done, 20));
      }
      assert.equal(engine.info.threads, 1);
      assert.match(engine.info.why, /worker/);
      // until the sleeper has written what it had to
      if (fault === 'asleep') await new Promise((done) => setTimeout(done, 1500));
      model.cache.clear();
      sameBits(history(model), want, 'afterwards');
      const before = engine.tensor([1]).data.buffer.byteLength;
      for (let x = 0; x < 3; x++) {
        model.cache.clear();
        sameArray(model.prefill(tokens.slice(0, 70)).logits, want[0].logits, 'again');
      }
      assert.equal(
        engine.tensor([1]).data.buffer.byteLength,
        before,
        'memory does not grow any more',
      );
    });

/** The tokens of a text, each of which may wait for a thread, but not without an end. */
async function write(model) {
  const list = [];
  const text = model.generate(tokens.slice(0, 30), { maxTokens: 30 });
  for (;;) {
    const looks = new Looks();
    const { done, value } = await text.next().finally(() => looks.end());
    if (done) return list;
    list.push(value.token);
  }
}

test('a text goes on when a thread is lost while it is written', async () => {
  const engine = await lostWorkers('inside', 3, () =>
    init({ layers: true, variant: 'simd', threads: 2 }),
  );
  const model = await loadModel(source, { engine });
  one.cache.clear();
  const expected = await write(one);

  // until the worker has joined a pass: one that comes late finds nothing to do
  for (let x = 0; x < 1000 && engine.info.threads > 1; x++) {
    model.cache.clear();
    assert.deepEqual(await write(model), expected, `text ${x}`);
  }

  assert.equal(engine.info.threads, 1);
});
