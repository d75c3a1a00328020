/** The worker computes ahead of its reader, and an end or an abort leaves nothing of that. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { init } from '../../src/js/index.js';
import { loadModel as loadHere } from '../../src/js/model/index.js';
import { loadModel } from '../../src/js/worker/client.js';
import { sameArray, sameBits } from '../support/bits.js';
import { all, engine, prompt, source } from '../support/models/in-worker.js';
import { asGguf, configs, tiny } from '../support/models/random-models.js';

/** Large enough that a pass over a long prompt takes a while. */
const large = asGguf(
  tiny({
    ...configs['llama, tied, grouped'],
    hidden_size: 256,
    intermediate_size: 512,
    num_hidden_layers: 12,
    max_position_embeddings: 1024,
  }),
);
/** The large model in a worker, until the test ends. */
async function inWorker(t) {
  const model = await loadModel(large, { engine });
  t.after(() => model.dispose());
  return model;
}
const besides = async () => loadHere(large, { engine: await init({ ...engine, layers: true }) });
const milliseconds = (count) => new Promise((done) => setTimeout(done, count));
/** A token ahead is being computed after 0 ms, and is there after this time. */
const A_TOKEN = 40;

test('a text that is ended before it begins lets the one before it end in peace', async (t) => {
  const model = await inWorker(t);
  const long = Array.from({ length: 400 }, (_, x) => 3 + (x % 50));
  for (let round = 0; round < 3; round++) {
    const [first, second] = [new AbortController(), new AbortController()];
    const a = model.generate(long, { signal: first.signal }).next();
    await milliseconds(30);
    first.abort(new Error('first'));
    const b = model.generate(long, { signal: second.signal }).next();
    second.abort(new Error('second'));
    await assert.rejects(a, /first/);
    await assert.rejects(b, /second/);
    assert.equal((await model.prefill(prompt)).logits.length, model.config.vocab);
    await model.cache.clear();
  }
});

/** A text of which `count` tokens are read, with the rows that were asked for and the cache. */
async function readTokens(model, { count, wait }) {
  const tokens = [];
  const rows = [];
  for await (const { token } of model.generate(prompt, { maxTokens: 9, tau: 1, seed: 3 })) {
    tokens.push(token);
    await milliseconds(wait);
    rows.push(await model.row(2, 1, 3));
    if (tokens.length === count) break;
  }
  return { tokens, rows, length: model.cache.length };
}

for (const [when, wait] of [
  ['being computed', 0],
  ['there', 60],
])
  test(`the token ahead is undone where a text is ended while it is ${when}`, async (t) => {
    const model = await inWorker(t);
    const here = await besides();
    for (const count of [1, 2, 5]) {
      const got = await readTokens(model, { count, wait });
      const want = await readTokens(here, { count, wait: 0 });
      sameBits(got, want, `${count} tokens`);
      sameArray(await model.cache.tokens(), here.cache.tokens, `the cache of ${count} tokens`);
    }
  });

test('a row that is asked for in the middle of a token is computed behind it', async (t) => {
  const model = await inWorker(t);
  const tokens = Array.from({ length: 700 }, (_, x) => x % 60);
  const text = model.generate(tokens, { maxTokens: 1 });
  const first = text.next();
  await milliseconds(A_TOKEN);
  assert.equal((await model.row(2, 1, 600)).weights.length, 601);
  assert.equal((await first).done, false);
  await text.return();
});

test('an abort at any time leaves the tokens in the cache that were received', async (t) => {
  const model = await inWorker(t);
  let aborted = 0;
  for (let round = 0; round < 100; round++) {
    const controller = new AbortController();
    const received = [];
    // a text rests every 20 ms, and may be told of an abort between a token and its answer
    const [count, later] = [1 + (round % 10), Math.floor(round / 10)];
    const how = { maxTokens: 90, tau: 1, seed: round, signal: controller.signal };
    try {
      for await (const { token } of model.generate(prompt, how))
        if (received.push(token) === count) setTimeout(() => controller.abort(), later);
    } catch (error) {
      assert.equal(error.name, 'AbortError');
      aborted++;
    }
    const want = Int32Array.of(...prompt, ...received.slice(0, -1));
    sameArray(await model.cache.tokens(), want, `after ${received.length} tokens`);
    await model.cache.clear();
  }
  // the others ended by themselves, before their abort
  assert.ok(aborted > 50, `${aborted} were aborted`);
});

test('a token from before an abort is not given after it, and stops no other text', async (t) => {
  const model = await inWorker(t);
  const want = await all((await besides()).generate(prompt, { maxTokens: 5 }));
  const controller = new AbortController();
  const text = model.generate(prompt, { maxTokens: 9, signal: controller.signal });
  await text.next();
  await milliseconds(A_TOKEN);
  controller.abort();
  const other = model.generate(prompt, { maxTokens: 5 });
  const first = await other.next();
  await assert.rejects(text.next(), { name: 'AbortError' });
  assert.deepEqual([first.value, ...(await all(other))], want);
  assert.equal(model.cache.length, prompt.length + 4);
});

test('a text whose last token was given stops nothing, and undoes nothing later', async (t) => {
  const model = await inWorker(t);
  const ended = model.generate(prompt, { maxTokens: 1 });
  assert.equal((await ended.next()).value.finish, 'length');
  assert.equal((await model.step(1)).logits.length, model.config.vocab);
  await ended.return();
  assert.equal(model.cache.length, prompt.length + 1);
});

test('a text that was begun beside another one is refused, until that one is read', async (t) => {
  const model = await inWorker(t);
  const text = model.generate(prompt, { maxTokens: 1 });
  const [first, other] = [text.next(), model.generate(prompt).next()];
  await assert.rejects(other, { code: 'BUSY' });
  assert.equal((await first).value.finish, 'length');
  assert.equal((await text.next()).done, true);
  assert.equal(model.cache.length, prompt.length);
});

for (const [how, signal] of [
  ['without a signal', undefined],
  ['with a signal', new AbortController().signal],
])
  describe(`a text ${how} that is over in the worker, a token ahead`, () => {
    /** The worker has computed both tokens, and the reader has one. */
    async function halfRead(t) {
      const model = await inWorker(t);
      const text = model.generate(prompt, { maxTokens: 2, signal });
      await text.next();
      await milliseconds(A_TOKEN);
      return { model, text };
    }

    test('is not over for its reader', async (t) => {
      const { model, text } = await halfRead(t);
      for (const busy of [
        () => model.prefill([5, 6]),
        () => model.cache.clear(),
        () => model.generate(prompt).next(),
      ])
        await assert.rejects(busy, { code: 'BUSY' });
      assert.equal((await text.next()).value.finish, 'length');
    });

    test('ends with its last token, and undoes nothing later', async (t) => {
      const { model, text } = await halfRead(t);
      assert.equal((await text.next()).value.finish, 'length');
      await model.prefill([5, 6]);
      if (signal) assert.equal(getEventListeners(signal, 'abort').length, 0);
      assert.deepEqual(await text.next(), { done: true, value: undefined });
      assert.equal(model.cache.length, prompt.length + 3);
    });
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
