/** Workers that the caller makes, of the exported files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { init } from '../../src/js/index.js';
import { createTrainer } from '../../src/js/train/worker/client.js';
import { init as initRemote, loadModel } from '../../src/js/worker/client.js';
import { tinyGguf } from '../support/models/tiny-models.js';

const file = (name) => new URL(`../../src/js/${name}`, import.meta.url);

test('each thread works in a worker of the caller', async () => {
  const made = [];
  const worker = () => {
    made.push(new Worker(file('engine/thread.js'), { execArgv: [] }));
    return made.at(-1);
  };
  const engine = await init({ threads: 3, worker });
  assert.equal(engine.info.threads, 3, engine.info.why);
  assert.equal(made.length, 2);
  const ended = Promise.all(made.map((one) => new Promise((end) => one.once('exit', end))));
  engine.dispose();
  await ended;
});

test('a model works in a worker of the caller', async () => {
  let count = 0;
  const worker = () => {
    count++;
    return new Worker(file('worker/host.js'), { execArgv: [] });
  };
  const model = await loadModel(tinyGguf(), { worker });
  assert.deepEqual(await model.tokenizer.encode('ab'), [1, 8]);
  assert.equal(count, 1);
  await model.dispose();
});

test('a maker that fails leaves one thread, and its reason refuses a model', async () => {
  const worker = () => {
    throw new Error('no workers today');
  };
  const { info } = await init({ threads: 2, worker });
  assert.equal(info.threads, 1);
  assert.match(info.why, /no workers today/);
  await assert.rejects(loadModel(tinyGguf(), { worker }), {
    code: 'ENV',
    message: /no workers today/,
  });
});

test('a worker that is no function is refused before anything starts', async () => {
  const refused = { code: 'ARG', message: /^worker is .*; expected a function/ };
  await assert.rejects(init({ worker: file('engine/thread.js') }), refused);
  await assert.rejects(loadModel(tinyGguf(), { worker: 'host.js' }), refused);
});

test('a maker of something else is refused, and its result named', async () => {
  for (const [made, words] of [
    [5, /^worker\(\) is 5; expected a Worker$/],
    [undefined, /^worker\(\) is undefined but required; expected a Worker$/],
    [new Map(), /^worker\(\) is of class Map; expected a Worker$/],
  ]) {
    const refused = { name: 'ClearheadError', code: 'ARG', message: words };
    const worker = () => made;
    await assert.rejects(init({ threads: 2, worker }), refused);
    await assert.rejects(initRemote({ worker }), refused);
    await assert.rejects(loadModel(tinyGguf(), { worker }), refused);
  }
});

test('a worker of another kind is refused by its kind', async () => {
  const of = (name) => ({ worker: () => new Worker(file(name), { execArgv: [] }) });
  const sizes = { vocab: 5, layers: 1, modelDim: 4, heads: 2, ffnDim: 0 };
  const uses = {
    attention: ['worker/attention-host.js', (host) => initRemote(host)],
    models: ['worker/host.js', (host) => loadModel(tinyGguf(), host)],
    training: [
      'train/worker/train-host.js',
      (host) => createTrainer(sizes, { batch: 1, context: 2, ...host }),
    ],
  };
  for (const [what, [host]] of Object.entries(uses))
    for (const [other, [, start]] of Object.entries(uses))
      if (other !== what)
        await assert.rejects(start(of(host)), {
          name: 'ClearheadError',
          code: 'ENV',
          message: new RegExp(`^the worker is the host of ${what}, and was asked for "`),
        });
});

test('a maker may take its time', async () => {
  const worker = async () => new Worker(file('worker/host.js'), { execArgv: [] });
  const model = await loadModel(tinyGguf(), { worker });
  assert.deepEqual(await model.tokenizer.encode('ab'), [1, 8]);
  await model.dispose();
});
