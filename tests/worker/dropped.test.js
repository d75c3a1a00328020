/** Objects of a worker that a program drops, or ends by `await using`. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { init, loadModel } from '../../src/js/worker/client.js';
import { tinyGguf } from '../support/models/tiny-models.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const workers = () => process.report.getReport().workers.length;
const row = Float32Array.of(1, 2, 3, 4);

/** Lets the collector run until there are no more workers than wanted. */
async function wait(wanted) {
  for (let looks = 0; looks < 200 && workers() > wanted; looks++) {
    collect();
    await turn();
  }
}
afterEach(() => wait(0));

test('a thousand dropped caches of 16 MB do not fill the memory of a worker', async () => {
  const ch = await init();
  for (let i = 0; i < 1000; i++) await ch.kvCache({ kvHeads: 8, headDim: 64, capacity: 4096 });
  const cache = await ch.kvCache({ headDim: 4, capacity: 4 });
  await cache.append(row, row);
  assert.equal(cache.length, 1);
  await ch.dispose();
});

test('the worker of a dropped engine ends', async () => {
  await (async () => assert.equal((await init()).info.threads, 1))();
  assert.equal(workers(), 1);
  await wait(0);
  assert.equal(workers(), 0);
});

test('the threads of a dropped engine end', async () => {
  await (async () => assert.equal((await init({ threads: 3 })).info.threads, 3))();
  assert.equal(workers(), 3);
  await wait(0);
  assert.equal(workers(), 0);
});

test('the worker of a dropped model ends', async () => {
  await (async () => assert.equal((await loadModel(tinyGguf())).engine.threads, 1))();
  assert.equal(workers(), 1);
  await wait(0);
  assert.equal(workers(), 0);
});

test('a call is answered though its engine is dropped meanwhile', async () => {
  const called = (await init()).attention(row, row, row, { headDim: 4 });
  for (let i = 0; i < 10; i++) collect();
  assert.deepEqual((await called).output, row);
});

test('a cache keeps the worker of its dropped engine', async () => {
  const cache = await (await init()).kvCache({ headDim: 4, capacity: 4 });
  for (let i = 0; i < 20; i++) {
    collect();
    await turn();
  }
  await cache.append(row, row);
  assert.deepEqual((await cache.read()).k, row);
});

test('a text goes on though its model is dropped', async () => {
  const text = (await loadModel(tinyGguf())).generate('ab', { maxTokens: 3, tau: 0 });
  let count = 0;
  for (; !(await text.next()).done; count++) {
    collect();
    await turn();
  }
  assert.equal(count, 3);
});

test('`await using` disposes of caches, engines and models, also of those that are', async () => {
  const [ch, model] = [await init(), await loadModel(tinyGguf())];
  const cache = await ch.kvCache({ headDim: 4, capacity: 4 });
  for (const thing of [cache, ch, model, model, ch, cache]) await thing[Symbol.asyncDispose]();
  await assert.rejects(cache.append(row, row), { code: 'DISPOSED' });
  await assert.rejects(ch.attention(row, row, row, { headDim: 4 }), { code: 'DISPOSED' });
  await assert.rejects(model.prefill([1]), { code: 'DISPOSED' });
});
