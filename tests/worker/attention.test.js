/** Attention in a worker gives the results of attention here. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { init } from '../../src/js/index.js';
import { init as initRemote } from '../../src/js/worker/client.js';
import { sameBits } from '../support/bits.js';
import { random } from '../support/random.js';

const r = random(3);
const numbers = (length) => Float32Array.from({ length }, () => r.normal());
const [q, k, v] = [numbers(2 * 4 * 8), numbers(2 * 4 * 8), numbers(2 * 4 * 8)];
const shape = { heads: 2, headDim: 8, causal: true, want: { stats: true, weights: true } };

let here;
let remote;
before(async () => {
  here = await init();
  remote = await initRemote({ threads: 2 });
});
after(() => remote.dispose());

test('a call has the same bits, weights and statistics too, and its inputs stay', async () => {
  assert.equal(remote.info.threads, 2);
  sameBits(await remote.attention(q, k, v, shape), here.attention(q, k, v, shape));
  assert.equal(q.length, 2 * 4 * 8);
});

test('a cache does what a cache here does', async () => {
  const sizes = { kvHeads: 2, headDim: 8, capacity: 16 };
  const [ours, theirs] = [here.kvCache(sizes), await remote.kvCache(sizes)];
  assert.equal(theirs.bytes, ours.bytes);
  for (const cache of [ours, theirs]) await cache.append(k, v);
  assert.equal(theirs.length, 4);
  const options = { heads: 2, causal: true };
  sameBits(await remote.attend(q, theirs, options), here.attend(q, ours, options));
  const copy = await theirs.clone();
  await theirs.truncate(1);
  assert.deepEqual([theirs.length, copy.length], [1, 4]);
  sameBits(await copy.read(), ours.read());
  await theirs.restore(await copy.snapshot());
  assert.equal(theirs.length, 4);
  await copy.dispose();
  await copy.dispose();
  await assert.rejects(copy.truncate(0), { name: 'ClearheadError', code: 'DISPOSED' });
});

test('`out` has the output, and is refused as it is here', async () => {
  const { output } = here.attention(q, k, v, shape);
  const out = new Float32Array(output.length);
  const results = await remote.attention(q, k, v, { ...shape, out });
  assert.equal(results.output, out);
  sameBits(results, here.attention(q, k, v, shape));
  const cache = await remote.kvCache({ kvHeads: 2, headDim: 8, capacity: 4 });
  await cache.append(k, v);
  const attended = await remote.attend(q, cache, { heads: 2, causal: true, out: out.fill(0) });
  assert.equal(attended.output, out);
  sameBits(out, output);
  for (const [given, code] of [
    [new Float32Array(3), 'SHAPE'],
    [new Float64Array(output.length), 'ARG'],
    [q, 'ALIAS'],
    [null, 'ARG'],
  ])
    await assert.rejects(remote.attention(q, k, v, { ...shape, out: given }), { code });
  const gone = new Float32Array(output.length);
  const call = remote.attention(q, k, v, { ...shape, out: gone });
  structuredClone(gone, { transfer: [gone.buffer] });
  await assert.rejects(call, { code: 'DETACHED', message: /^out is/ });
});

test('errors come over as they are', async () => {
  await assert.rejects(remote.attention(q, k, v, { headDim: 7 }), { code: 'SHAPE' });
  await assert.rejects(remote.attention(q, k, v, { headDim: 8, other: 1 }), { code: 'ARG' });
  await assert.rejects(initRemote({ layers: true }), { code: 'ARG' });
  await assert.rejects(initRemote({ variant: 'other' }), { code: 'ARG' });
});

test('a cache of another engine is refused', async () => {
  const other = await initRemote();
  const cache = await other.kvCache({ headDim: 8, capacity: 4 });
  assert.throws(() => remote.attend(q, cache), { code: 'ARG', message: /another engine/ });
  await other.dispose();
  await assert.rejects(other.attention(q, k, v, shape), { code: 'DISPOSED' });
});

test('a promise of a cache is refused with a question', async () => {
  const cache = remote.kvCache({ headDim: 8, capacity: 4 });
  assert.throws(() => remote.attend(q, cache), {
    code: 'ARG',
    message: /^cache is of class Promise \(forgotten await\?\); expected a KV cache/,
  });
  await (await cache).dispose();
});

test('the caller may make the worker', async () => {
  const host = new URL('../../src/js/worker/attention-host.js', import.meta.url);
  const engine = await initRemote({ worker: () => new Worker(host, { execArgv: [] }) });
  sameBits(await engine.attention(q, k, v, shape), here.attention(q, k, v, shape));
  await engine.dispose();
});
