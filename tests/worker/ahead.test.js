/** The worker computes ahead of its reader, and an end or an abort leaves nothing of that. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { loadModel as loadHere } from '../../src/js/model/index.js';
import { loadModel } from '../../src/js/worker/client.js';
import { sameArray, sameBits } from '../support/bits.js';
import { all, engine, prompt, source } from '../support/models/in-worker.js';
import { asGguf, configs, tiny } from '../support/models/random-models.js';

test('a text that is ended before it begins leaves the one before it to end in peace', async () => {
  const large = asGguf(
    tiny({
      ...configs['llama, tied, grouped'],
      hidden_size: 256,
      intermediate_size: 512,
      num_hidden_layers: 12,
      max_position_embeddings: 1024,
    }),
  );
  const model = await loadModel(large, { engine });
  const long = Array.from({ length: 400 }, (_, x) => 3 + (x % 50));
  for (let round = 0; round < 3; round++) {
    const [first, second] = [new AbortController(), new AbortController()];
    const a = model.generate(long, { signal: first.signal }).next();
    await new Promise((done) => setTimeout(done, 30));
    first.abort(new Error('first'));
    const b = model.generate(long, { signal: second.signal }).next();
    second.abort(new Error('second'));
    await assert.rejects(a, /first/);
    await assert.rejects(b, /second/);
    assert.equal((await model.prefill(prompt)).logits.length, model.config.vocab);
    await model.cache.clear();
  }
  await model.dispose();
});

test('the worker is a token ahead, which is undone where a text is ended', async () => {
  const large = asGguf(
    tiny({
      ...configs['llama, tied, grouped'],
      hidden_size: 256,
      intermediate_size: 512,
      num_hidden_layers: 12,
      max_position_embeddings: 1024,
    }),
  );
  const here = await loadHere(large, { engine: await init({ ...engine, layers: true }) });
  const model = await loadModel(large, { engine });
  for (const count of [1, 2, 5])
    for (const wait of [0, 60]) {
      const seen = [];
      for (const of of [here, model]) {
        const rows = [];
        const tokens = [];
        for await (const { token } of of.generate(prompt, { maxTokens: 9, tau: 1, seed: 3 })) {
          tokens.push(token);
          // the one ahead is in the making, or is made
          if (of === model) await new Promise((done) => setTimeout(done, wait));
          rows.push(await of.row(2, 1, 3));
          if (tokens.length === count) break;
        }
        seen.push({ tokens, rows, kept: of === model ? await of.cache.tokens() : of.cache.tokens });
      }
      sameBits(seen[1], seen[0], `${count} tokens`);
      assert.equal(model.cache.length, here.cache.length);
    }
  // a row that is asked for in the middle of a token is had behind it
  const text = model.generate(
    Array.from({ length: 700 }, (_, x) => x % 60),
    { maxTokens: 1 },
  );
  const first = text.next();
  await new Promise((done) => setTimeout(done, 40));
  assert.equal((await model.row(2, 1, 600)).weights.length, 601);
  assert.equal((await first).done, false);
  await text.return();
  await model.dispose();
});

test('an abort at any time leaves of the text what was taken', async () => {
  const large = asGguf(
    tiny({
      ...configs['llama, tied, grouped'],
      hidden_size: 256,
      intermediate_size: 512,
      num_hidden_layers: 12,
      max_position_embeddings: 1024,
    }),
  );
  const model = await loadModel(large, { engine });
  let early = 0;
  for (let turn = 0; turn < 100; turn++) {
    const controller = new AbortController();
    const taken = [];
    // a text rests every 20 ms, and may be told of an abort between a token and its answer
    setTimeout(() => controller.abort(), 15 + 0.7 * turn);
    try {
      for await (const { token } of model.generate(prompt, {
        maxTokens: 90,
        tau: 1,
        seed: turn,
        signal: controller.signal,
      }))
        taken.push(token);
    } catch (error) {
      assert.equal(error.name, 'AbortError');
      early += Number(taken.length > 0);
    }
    const kept = await model.cache.tokens();
    if (taken.length)
      sameArray(
        kept,
        Int32Array.of(...prompt, ...taken.slice(0, -1)),
        `after ${taken.length} tokens`,
      );
    await model.cache.clear();
  }
  assert.ok(early > 10, `${early} were ended in the middle`);
  // a token that came before the abort, and was not yet asked for, does not come after it
  const controller = new AbortController();
  const text = model.generate(prompt, { maxTokens: 9, signal: controller.signal });
  await text.next();
  await new Promise((done) => setTimeout(done, 40));
  controller.abort();
  // nor does it stand in the way of another, which it leaves alone in turn
  const here = await loadHere(large, { engine: await init({ ...engine, layers: true }) });
  const want = await all(here.generate(prompt, { maxTokens: 5 }));
  const other = model.generate(prompt, { maxTokens: 5 });
  const first = await other.next();
  await assert.rejects(text.next(), { name: 'AbortError' });
  assert.deepEqual([first.value, ...(await all(other))], want);
  assert.equal(model.cache.length, prompt.length + 4);
  // a text that has ended does not either, though nobody asked for more
  const ended = model.generate(prompt, { maxTokens: 1 });
  assert.equal((await ended.next()).value.finish, 'length');
  assert.equal((await model.step(1)).logits.length, model.config.vocab);
  await ended.return();
  assert.equal(model.cache.length, prompt.length + 1);
  // a text that is over in the worker, which is a token ahead, is not over for its reader
  for (const { signal } of [{}, new AbortController()]) {
    await model.cache.clear();
    const two = model.generate(prompt, { maxTokens: 2, signal });
    await two.next();
    await new Promise((done) => setTimeout(done, 40));
    for (const busy of [
      () => model.prefill([5, 6]),
      () => model.cache.clear(),
      () => model.generate(prompt).next(),
    ])
      await assert.rejects(busy, { code: 'BUSY' });
    assert.equal((await two.next()).value.finish, 'length');
    await model.prefill([5, 6]);
    if (signal) assert.equal(getEventListeners(signal, 'abort').length, 0);
    assert.deepEqual(await two.next(), { done: true, value: undefined });
    assert.equal(model.cache.length, prompt.length + 3);
  }
  await model.dispose();
});

test('between two tokens the worker does not wait to be asked', async () => {
  const { Worker } = await import('node:worker_threads');
  const { emit, postMessage } = Worker.prototype;
  const asked = new Set();
  const outstanding = [];
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message.f === 'next') asked.add(message.id);
    return postMessage.call(this, message, ...rest);
  };
  Worker.prototype.emit = function (event, message) {
    if (event === 'message' && asked.has(message.id)) {
      outstanding.push(asked.size);
      asked.delete(message.id);
    }
    return emit.call(this, event, message);
  };
  try {
    const model = await loadModel(source, { engine });
    const tokens = await all(model.generate(prompt, { maxTokens: 9 }));
    await model.dispose();
    // the first may be long in coming
    assert.deepEqual(outstanding.slice(0, tokens.length), [1, ...tokens.slice(1).map(() => 2)]);
  } finally {
    Worker.prototype.postMessage = postMessage;
    delete Worker.prototype.emit; // inherited
  }
});
