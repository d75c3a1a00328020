/**
 * How much memory a call takes: never an m×n array unless one is asked for, and nothing is kept.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { engines } from '../support/engines.js';
import { Kernels } from '../support/kernels.js';
import { random } from '../support/random.js';

const MB = 2 ** 20;

/** Bytes of an engine's memory. */
function size(ch) {
  const probe = ch.tensor([1]);
  const bytes = probe.data.buffer.byteLength;
  probe.dispose();
  return bytes;
}

/** Bytes of the work that threads share: of one kv head with `rows` queries of one channel. */
function workBytes(kernels, rows, n, segments) {
  const { c } = kernels;
  return kernels.scope(() => {
    const p = kernels.allocate(c.attn_params_bytes());
    const edges = kernels.copy(Int32Array.from({ length: segments + 1 }, (_, x) => x));
    assert.equal(c.attn_init(p, 1, rows, 1, 1, n, 1, 1), 0);
    assert.equal(c.attn_want_segments(p, 0, edges, segments), 0);
    return c.attn_work_bytes(p) >>> 0;
  });
}

for (const { variant } of engines) {
  test(`shared work takes memory, and at most 64 MB of it (${variant})`, () => {
    const kernels = new Kernels(variant);
    for (const n of [0, 1, 2 ** 12, 2 ** 20, 2 ** 22, 2 ** 23, 2 ** 27, 2 ** 29])
      for (const rows of [1, 5, 16, 17])
        for (const segments of [0, 1, 1024, 2048]) {
          const bytes = workBytes(kernels, rows, n, segments);
          const call = `${rows} rows over ${n} keys and ${segments} segments: ${bytes} bytes`;
          assert.ok(bytes > 0 && bytes <= 64 * MB + 1024, call);
        }
  });

  test(`shared work has memory for the rows of the call alone (${variant})`, () => {
    const kernels = new Kernels(variant);
    const base = workBytes(kernels, 1, 0, 8);
    for (const n of [512, 5000, 2 ** 20])
      assert.equal(
        (workBytes(kernels, 16, n, 8) - base) / 16,
        workBytes(kernels, 1, n, 8) - base,
        `${n} keys`,
      );
  });

  test(`statistics and output take at most 1 MB beside the arrays (${variant})`, async () => {
    for (const [m, n, d, heads] of [
      [3000, 3000, 4, 1],
      [2, 100000, 4, 2],
      [20000, 5, 4, 1],
      [600, 600, 64, 12],
    ]) {
      const ch = await init({ variant });
      const r = random(n);
      const numbers = (count) => Float32Array.from({ length: count }, () => r.uniform());
      const q = numbers(heads * m * d);
      const k = numbers(heads * n * d);
      const v = numbers(heads * n * d);
      const before = size(ch);
      const { output, stats } = ch.attention(q, k, v, {
        heads,
        headDim: d,
        causal: m === n,
        want: { lse: true, stats: true },
      });
      assert.ok(output.every(Number.isFinite) && stats.kl.every(Number.isFinite));
      const arrays = 4 * (2 * q.length + k.length + v.length + 7 * heads * m);
      assert.ok(
        size(ch) - before <= arrays + MB,
        `m = ${m}, n = ${n}: ${(size(ch) - before - arrays) / MB} MB beside the arrays`,
      );
    }
  });

  test(`a cache tells its bytes and takes no more (${variant})`, async () => {
    const ch = await init({ variant });
    const before = size(ch);
    const cache = ch.kvCache({ kvHeads: 3, headDim: 64, capacity: 5000 });
    const floats = 3 * 64 * 5000 * 2 * 4;
    assert.ok(
      cache.bytes >= floats && cache.bytes <= floats * 1.01,
      `${cache.bytes} for ${floats}`,
    );
    assert.ok(size(ch) - before <= cache.bytes + 2 * 65536);
  });

  test(`a thousand calls and caches later, memory is as it was (${variant})`, async () => {
    const ch = await init({ variant });
    const r = random(1);
    const numbers = (count) => Float32Array.from({ length: count }, () => r.uniform());
    const q = numbers(40);
    const k = numbers(400);
    const v = numbers(400);
    const round = () => {
      ch.attention(q, k, v, {
        headDim: 4,
        want: { weights: true, stats: true, scores: 'raw', lse: true },
      });
      ch.attention(Float64Array.from(q), Float64Array.from(k), Float64Array.from(v), {
        headDim: 4,
      });
      const cache = ch.kvCache({ headDim: 4, capacity: 120 });
      cache.append(k, v);
      const twin = cache.clone();
      twin.restore(cache.snapshot());
      ch.attend(q, twin, { causal: true });
      for (const x of [cache, twin]) x.dispose();
    };
    round();
    const before = size(ch);
    for (let x = 0; x < 1000; x++) round();
    assert.equal(size(ch), before);
  });
}
