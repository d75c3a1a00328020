/** Where threads cannot work there is one, and the engine says why. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { sameBits } from '../support/bits.js';
import { lostWorkers } from '../engines/lost-workers.js';
import { calls, one, run } from '../support/engine/thread-calls.js';

test('a shared file without layers, where they are asked for, starts no worker', async (t) => {
  const { Worker } = await import('node:worker_threads');
  const started = t.mock.method(Worker.prototype, 'postMessage');
  await assert.rejects(
    init({
      layers: true,
      threads: 2,
      wasm: new URL('../../src/js/engine/attn.simd.shared.wasm', import.meta.url),
    }),
    { name: 'ClearheadError' },
  );
  assert.equal(started.mock.callCount(), 0);
});

test('without isolation, shared memory or its wasm file there is one thread, and why', async () => {
  const { SharedArrayBuffer } = globalThis;
  const shared = new URL('../../src/js/engine/attn.simd.shared.wasm', import.meta.url);
  const plain = new URL('../../src/js/engine/attn.simd.wasm', import.meta.url);
  for (const [break_, mend, words] of [
    [
      () => (globalThis.crossOriginIsolated = false),
      () => delete globalThis.crossOriginIsolated,
      /isolated/,
    ],
    [
      () => delete globalThis.SharedArrayBuffer,
      () => (globalThis.SharedArrayBuffer = SharedArrayBuffer),
      /isolated/,
    ],
  ]) {
    break_();
    try {
      // a shared file that is given is taken, with its memory
      for (const wasm of [undefined, plain, shared]) {
        const ch = await init({ wasm, variant: 'simd', threads: 2 });
        assert.equal(ch.info.threads, 1);
        assert.match(ch.info.reasons.threads, /^one thread: /);
        assert.match(ch.info.why, words);
        sameBits(run(ch, calls[0]), run(one, calls[0]), `one thread, ${wasm}`);
        ch.dispose();
      }
    } finally {
      mend();
    }
  }
  const lost = await lostWorkers('start', 0, () => init({ wasm: shared, threads: 2 }));
  assert.equal(lost.info.threads, 1);
  assert.match(lost.info.reasons.threads, /^one thread: no worker started: /);
  sameBits(run(lost, calls[0]), run(one, calls[0]), 'a shared file without its worker');
  const ch = await init({ wasm: plain, threads: 2 });
  assert.equal(ch.info.threads, 1);
  assert.match(ch.info.why, /shared/);
});
