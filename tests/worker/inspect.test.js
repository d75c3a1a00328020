/** The lens, ledgers, scores and sweeps of a model in a worker are those of a model in the page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { loadModel as loadHere } from '../../src/js/model/index.js';
import { loadModel } from '../../src/js/worker/client.js';
import { engine, prompt, source } from '../support/models/in-worker.js';

test('all four give what they give in the page, with progress', async () => {
  const here = await loadHere(source, { engine: await init({ layers: true, ...engine }) });
  const there = await loadModel(source, { engine });
  here.prefill(prompt);
  await there.prefill(prompt);
  assert.deepEqual(await there.lens(2, { top: 2 }), await here.lens(2, { top: 2 }));
  assert.deepEqual(
    await there.ledger(3, [4, 9], { sources: true }),
    await here.ledger(3, [4, 9], { sources: true }),
  );
  const counts = [];
  const onProgress = ({ done }) => counts.push(done);
  assert.deepEqual(await there.sweep(prompt, { onProgress }), await here.sweep(prompt));
  assert.deepEqual(
    counts,
    Array.from({ length: 12 }, (_, x) => x + 1),
  );
  const repeats = { count: 1, period: 6 };
  assert.deepEqual(await there.heads.scores({ repeats }), await here.heads.scores({ repeats }));
  await assert.rejects(there.sweep(prompt, { over: 'heads' }), { code: 'ARG' });
  await assert.rejects(there.sweep(prompt, { onProgress: 1 }), { code: 'ARG' });
  await there.dispose();
  here.dispose();
});

test('an abort ends a sweep, and the next call finds the cache as it was', async () => {
  const model = await loadModel(source, { engine });
  await model.prefill(prompt);
  const controller = new AbortController();
  const ended = model.sweep(prompt, {
    signal: controller.signal,
    onProgress: ({ done }) => done === 1 && controller.abort(new Error('enough')),
  });
  await assert.rejects(ended, /^Error: enough$/);
  await model.step(7);
  assert.deepEqual([...(await model.cache.tokens())], [...prompt, 7]);
  await model.dispose();
});

test('fingerprints tell their progress, and end when they are aborted', async () => {
  const model = await loadModel(source, { engine });
  const sets = [
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
    [
      [7, 8, 9],
      [1, 5, 9],
    ],
  ];
  const told = [];
  const onProgress = (progress) => told.push(progress);
  const { prompts } = await model.heads.fingerprint(...sets, { onProgress });
  assert.deepEqual(prompts, { a: 2, b: 2 });
  assert.deepEqual(
    told,
    [1, 2, 3, 4].map((done) => ({ done, total: 4 })),
  );
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(model.heads.fingerprint(...sets, { signal }), /^Error: enough$/);
  await model.dispose();
});
