/** A model writes one text at a time, and is free when that ends in any way. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { ticksAfterAbort } from '../../support/clock.js';
import { all, engine, ids, load, prompt, slow, source } from '../../support/models/texts.js';

test('a model disposed of during a token says so, and touches nothing of the engine', async () => {
  for (let waits = 0; waits < 40; waits++) {
    const own = await init({ layers: true, variant: 'simd' });
    const model = await loadModel(source, { engine: own });
    const reader = (async () => {
      for await (const { token } of model.generate(prompt, { maxTokens: 30 }))
        assert.ok(token >= 0);
    })();
    for (let x = 0; x < waits; x++) await null;
    model.dispose();
    const tensor = own.tensor([100000]);
    const words = new Uint32Array(tensor.data.buffer, tensor.data.byteOffset, tensor.length).fill(
      0x3f800000,
    );
    await assert.rejects(reader, { name: 'ClearheadError', code: 'DISPOSED' }, `${waits} waits`);
    assert.ok(words.every((word) => word === 0x3f800000));
    assert.equal(
      own.attention(Float32Array.of(1), Float32Array.of(0, 1), Float32Array.of(0, 3), {
        headDim: 1,
      }).output.length,
      1,
    );
    own.dispose();
  }
});

test('one text at a time; rows can be read and temperatures set in between', async () => {
  const model = await load();
  const want = ids(await all((await load()).generate(prompt, { maxTokens: 8 })));
  const got = [];
  for await (const { token, finish } of model.generate(prompt, { maxTokens: 8 })) {
    got.push(token);
    if (finish) break; // it has ended
    for (const busy of [
      () => model.step(1),
      () => model.prefill([1]),
      () => model.cache.clear(),
      () => model.cache.truncate(2),
      () => model.cache.snapshot(),
    ])
      assert.throws(busy, { code: 'BUSY' });
    await assert.rejects(model.generate(prompt).next(), { code: 'BUSY' });
    assert.equal(model.row(1, 2, model.cache.length - 1).weights.length, model.cache.length);
  }
  assert.deepEqual(got, want);
  model.step(1);
});

test('a model and its cache have the members that the types name', async () => {
  const model = await load();
  const names = (object) => Object.getOwnPropertyNames(object).sort().join(' ');
  assert.equal(
    names(model),
    'cache chat config dispose generate heads info intervene interventions ledger lens ' +
      'prefill rank row setTemperature step sweep temperature template tokenizer trace ' +
      'traceBytes',
  );
  assert.equal(
    names(model.cache),
    'bytes capacity clear length restore snapshot toJSON tokens truncate',
  );
  for (const object of [model, model.cache]) {
    assert.equal(Object.getPrototypeOf(object), Object.prototype);
    assert.ok(Object.isFrozen(object));
  }
});

test('a text that its reader leaves frees the model at once', async () => {
  const model = await load();
  for await (const { token } of model.generate(prompt)) if (token >= 0) break;
  model.cache.clear();
  const iterator = model.generate(prompt);
  await iterator.next();
  await iterator.return();
  assert.equal(model.step(1).logits.length, 64);
});

test('an abort releases the model without a further call; so does an end', async () => {
  const model = await load();
  const want = await all((await load()).generate(prompt, { maxTokens: 6, logprobs: 1 }));
  const abort = new AbortController();
  const reason = new Error('another text');
  const aborted = model.generate(prompt, { signal: abort.signal });
  await aborted.next();
  assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
  await assert.rejects(model.generate(prompt).next(), { code: 'BUSY' });
  // the first listener is not too early
  let first;
  const next = model.generate(prompt, { maxTokens: 6, logprobs: 1 });
  abort.signal.addEventListener('abort', () => (first = next.next()));
  abort.abort(reason);
  first = await first;
  // the text that was ended neither goes on nor frees the memory of another
  await assert.rejects(aborted.next(), reason);
  await assert.rejects(model.generate(prompt).next(), { code: 'BUSY' });
  const rest = await all(next);
  assert.deepEqual([first.value, ...rest], want);
  const ended = model.generate(prompt, { maxTokens: 1 });
  assert.equal((await ended.next()).value.finish, 'length');
  model.step(1);
  assert.deepEqual(await ended.next(), { done: true, value: undefined });
});

test('an abort ends a text in the middle of a token, and the model can go on', async () => {
  const model = await loadModel(slow(), { engine });
  const reason = new Error('enough');
  for (const [tokens, delay] of [
    [[1, 2, 3], 30],
    [Array(90).fill(5), 50],
    [[4], 0],
  ]) {
    const controller = new AbortController();
    const { signal } = controller;
    const before = model.cache.length;
    const text = assert.rejects(all(model.generate(tokens, { maxTokens: 1000, signal })), reason);
    const ticks = await ticksAfterAbort(controller, text, { reason, delay });
    // the layer that was being computed
    assert.ok(ticks <= 2, `${ticks} ticks of a timer`);
    assert.ok(model.cache.length >= Math.min(before, 1) - 1);
    assert.equal(model.cache.snapshot().layers.length, 4);
    model.step(3);
  }
  const controller = new AbortController();
  controller.abort(reason);
  await assert.rejects(all(model.generate([1], { signal: controller.signal })), reason);
  // disposed of in the middle, the text ends and nothing else happens
  setTimeout(() => model.dispose(), 20);
  await assert.rejects(all(model.generate([1, 2, 3], { maxTokens: 1000 })), { code: 'DISPOSED' });
});
