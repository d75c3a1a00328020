/** A worker that never answers, as one of an empty file does in a browser. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createTrainer } from '../../src/js/train/worker/client.js';
import { init, loadModel } from '../../src/js/worker/client.js';
import { tinyGguf } from '../support/models/tiny-models.js';

const MINUTE = 60_000;
const sizes = { vocab: 5, layers: 1, modelDim: 4, heads: 2, ffnDim: 0 };

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

for (const [what, start] of [
  ['attention', init],
  ['a model', (options) => loadModel(tinyGguf(), options)],
  ['a trainer', (options) => createTrainer(sizes, { batch: 1, context: 2, ...options })],
])
  test(`is given up by ${what} with a typed error`, async () => {
    const silent = new Worker('setInterval(() => {}, 1000)', { eval: true });
    const sent = new Promise((resolve) => {
      silent.postMessage = resolve;
    });
    const refused = assert.rejects(start({ worker: () => silent }), {
      name: 'ClearheadError',
      code: 'ENV',
      message: /^the worker is lost: it did not answer within 60 s; its file may be empty/,
    });
    await sent;
    await Promise.resolve();
    mock.timers.tick(MINUTE);
    await refused;
  });

test('is not taken for one that has answered and then waits', async () => {
  const engine = await init();
  mock.timers.tick(MINUTE);
  const one = Float32Array.of(1);
  assert.deepEqual([...(await engine.attention(one, one, one, { headDim: 1 })).output], [1]);
  await engine.dispose();
});
