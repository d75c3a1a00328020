/** Threads of an engine in a worker, which its program starts and ends. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, test } from 'node:test';
import threads from 'node:worker_threads';
import { init } from '../../src/js/index.js';
import { createTrainer } from '../../src/js/train/worker/client.js';
import { init as initRemote, loadModel } from '../../src/js/worker/client.js';
import { sameBits } from '../support/bits.js';
import { tinyGguf } from '../support/models/tiny-models.js';

const { Worker } = threads;
/** The workers that this thread has started, and whether each has ended. */
let started;
/** Of a thread, in place of thread.js. @type {string | undefined} */
let instead;
/** Called as each thread starts. */
let onThread;
beforeEach(() => {
  started = [];
  onThread = () => {};
  instead = undefined;
  threads.Worker = class extends Worker {
    constructor(url, options) {
      const thread = String(url).endsWith('/engine/thread.js');
      if (thread && instead) super(instead, { ...options, eval: true });
      else super(url, options);
      if (thread) onThread();
      const one = { thread, ended: new Promise((end) => this.once('exit', end)) };
      started.push(one);
    }
  };
});
afterEach(() => (threads.Worker = Worker));

const count = () => started.filter(({ thread }) => thread).length;
const ended = () => Promise.all(started.map((one) => one.ended));

test('attention, a model and a trainer have threads that their program started', async () => {
  const sizes = { vocab: 5, layers: 1, modelDim: 4, heads: 2, ffnDim: 0 };
  const engine = await initRemote({ threads: 3 });
  assert.deepEqual([engine.info.threads, count()], [3, 2], engine.info.why);
  const model = await loadModel(tinyGguf(), { engine: { threads: 2 } });
  assert.deepEqual([model.engine.threads, count()], [2, 3], model.engine.why);
  const trainer = await createTrainer(sizes, { batch: 1, context: 2, threads: 2 });
  assert.deepEqual([trainer.engine.threads, count()], [2, 4], trainer.engine.why);
  assert.equal(started.length, 7);
  for (const each of [engine, model, trainer]) await each.dispose();
  await ended();
});

test('a large call has the same bits', async () => {
  const q = Float32Array.from({ length: 12 * 300 * 64 }, (_, x) => Math.sin(x * x));
  const shape = { heads: 12, headDim: 64, causal: true, want: { lse: true } };
  const engine = await initRemote({ threads: 2 });
  sameBits(await engine.attention(q, q, q, shape), (await init()).attention(q, q, q, shape));
  assert.equal(engine.info.threads, 2);
  await engine.dispose();
  await ended();
});

test('a thread that fails leaves one, and the engine says why', async () => {
  instead = 'throw new Error("no threads today")';
  const engine = await initRemote({ threads: 2 });
  assert.equal(engine.info.threads, 1);
  assert.match(engine.info.reasons.threads, /^one thread: no worker started: no threads today$/);
  await engine.dispose();
  await ended();
});

test('loading is aborted while a thread starts', async () => {
  const controller = new AbortController();
  onThread = () => controller.abort();
  const loading = loadModel(tinyGguf(), { engine: { threads: 2 }, signal: controller.signal });
  await assert.rejects(loading, { name: 'AbortError' });
  assert.equal(count(), 1);
  await ended();
});

test('threads end where loading fails', async () => {
  await assert.rejects(loadModel(new Uint8Array(100), { engine: { threads: 2 } }));
  assert.equal(count(), 1);
  await ended();
});

test('a program ends by itself though it has not disposed of them', () => {
  const client = new URL('../../src/js/worker/client.js', import.meta.url);
  const program = `import { init } from '${client}';
    const { info } = await init({ threads: 2 });
    console.log(info.threads);`;
  const args = ['--input-type=module', '--eval', program];
  const options = { encoding: 'utf8', timeout: 60_000 };
  assert.equal(execFileSync(process.execPath, args, options), '2\n');
});
