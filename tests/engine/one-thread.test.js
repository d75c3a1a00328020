/** Where threads cannot work there is one, and the engine says why. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { sameBits } from '../support/bits.js';
import { lostWorkers } from '../engines/lost-workers.js';
import { calls, one, run } from '../support/engine/thread-calls.js';

const file = new URL('../../src/js/engine/attn.simd.wasm', import.meta.url);

/** A file whose checksum is right again. @param {Uint8Array} bytes */
function sealed(bytes) {
  const words = new Int32Array(bytes.buffer);
  const sum = (hash, word) => Math.imul(hash ^ word, 0x01000193);
  words[words.length - 1] = words.subarray(0, -1).reduce(sum, 0x811c9dc5);
  return bytes;
}

/** Has one thread, for a reason that these words are in, and computes. */
function hasOneThread(ch, words) {
  assert.equal(ch.info.threads, 1);
  assert.match(ch.info.reasons.threads, /^one thread: /);
  assert.match(ch.info.why, words);
  sameBits(run(ch, calls[0]), run(one, calls[0]), `one thread, ${words}`);
  ch.dispose();
}

test('a file without layers, where they are asked for, starts no worker', async (t) => {
  const { Worker } = await import('node:worker_threads');
  const started = t.mock.method(Worker.prototype, 'postMessage');
  await assert.rejects(init({ layers: true, threads: 2, wasm: file }), { name: 'ClearheadError' });
  assert.equal(started.mock.callCount(), 0);
});

test('a file whose memory cannot be shared starts no worker', async (t) => {
  const { Worker } = await import('node:worker_threads');
  const started = t.mock.method(Worker.prototype, 'postMessage');
  const bytes = new Uint8Array(readFileSync(file));
  const name = Buffer.from(bytes.buffer).indexOf('\x06memory\x02');
  bytes[name + 8] = 3; // shared already
  const wasm = sealed(bytes);
  await assert.rejects(init({ threads: 2, wasm }), { code: 'FORMAT', message: /this version/ });
  assert.equal(started.mock.callCount(), 0);
});

test('without isolation or shared memory there is one thread, and why', async () => {
  const { SharedArrayBuffer } = globalThis;
  for (const [break_, mend] of [
    [() => (globalThis.crossOriginIsolated = false), () => delete globalThis.crossOriginIsolated],
    [
      () => delete globalThis.SharedArrayBuffer,
      () => (globalThis.SharedArrayBuffer = SharedArrayBuffer),
    ],
  ]) {
    break_();
    try {
      for (const wasm of [undefined, file])
        hasOneThread(await init({ wasm, variant: 'simd', threads: 2 }), /isolated/);
    } finally {
      mend();
    }
  }
});

test('without its worker there is one thread, and why', async () => {
  const lost = await lostWorkers('start', 0, () => init({ wasm: file, threads: 2 }));
  hasOneThread(lost, /no worker started: /);
});

test('a compiled module is for one thread, its bytes are for several', async () => {
  const bytes = readFileSync(file);
  const before = bytes.slice();
  hasOneThread(await init({ wasm: await WebAssembly.compile(bytes), threads: 2 }), /compiled/);
  const { buffer } = Uint8Array.from(bytes);
  for (const wasm of [bytes, buffer]) {
    const two = await init({ wasm, threads: 2 });
    assert.equal(two.info.threads, 2, two.info.why);
    assert.deepEqual(new Uint8Array(wasm), new Uint8Array(before), 'they are as they were');
    sameBits(run(two, calls[0]), run(one, calls[0]), 'two threads');
    two.dispose();
  }
});
