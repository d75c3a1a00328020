/**
 * Misuse over time: objects that are disposed, full, damaged or of another engine; polluted
 * prototypes.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ClearheadError, init } from '../../src/js/index.js';
import { sameArray, sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { bench, good, shape } from '../support/faults.js';

const { ch } = engines[0];
const { cache, refuses, leaksNothing, memoryUse, unchanged } = bench(ch);
const call = (change = {}, inputs = {}) => {
  const { q, k, v } = { ...good, ...inputs };
  return ch.attention(q, k, v, { ...shape, ...change });
};
const want = call();

test('use after dispose is refused, and a second dispose does nothing', () => {
  const t = ch.tensor([192]);
  const c = ch.kvCache({ kvHeads: 2, headDim: 8, valueDim: 6, capacity: 4 });
  for (const x of [t, c, t, c]) x.dispose();
  refuses('data', 'DISPOSED', 'tensor', () => t.data);
  refuses('q', 'DISPOSED', 'q', () => call({}, { q: t }));
  refuses('out', 'DISPOSED', 'out', () => call({ out: t }));
  for (const [name, use] of Object.entries({
    length: () => c.length,
    append: () => c.append(new Float32Array(16), new Float32Array(12)),
    truncate: () => c.truncate(0),
    read: () => c.read(),
    clone: () => c.clone(),
    snapshot: () => c.snapshot(),
    restore: () => c.restore(cache.snapshot()),
    attend: () => ch.attend(good.q, c, { heads: 4 }),
  }))
    refuses(name, 'DISPOSED', 'cache', use);
  leaksNothing('a disposed cache', () => c.append(new Float32Array(16), new Float32Array(12)));
});

test('tensors and caches of another engine, forged or replaced ones are refused', async () => {
  const other = await init({ variant: 'simd' });
  const t = other.tensor([192]);
  const c = other.kvCache({ kvHeads: 2, headDim: 8, valueDim: 6, capacity: 4 });
  refuses('q of another engine', 'DISPOSED ARG', 'q', () => call({}, { q: t }));
  refuses('out of another engine', 'DISPOSED ARG', 'out', () => call({ out: t }));
  refuses('a cache of another engine', 'DISPOSED ARG', 'cache', () =>
    ch.attend(good.q, c, { heads: 4 }),
  );
  for (const forged of [
    { length: 192, data: good.q, dtype: 'float32', shape: [192] },
    { at: 0, length: 192 },
    64,
  ])
    refuses('a forged q', 'ARG', 'q', () => call({}, { q: forged }));
  for (const forged of [
    null,
    undefined,
    {},
    { kvHeads: 2, headDim: 8, valueDim: 6, length: 3, at: 64 },
    64,
    'cache',
  ])
    refuses('a forged cache', 'ARG', 'cache', () => ch.attend(good.q, forged, { heads: 4 }));
  const old = ch.tensor([192]);
  old.dispose();
  const taker = ch.tensor([192]);
  taker.data.set(good.q);
  refuses('a place taken by another tensor', 'DISPOSED', 'q', () => call({}, { q: old }));
  old.dispose();
  sameArray(taker.data, good.q, 'the new tensor');
  taker.dispose();
});

test('a cache is not filled beyond its capacity nor truncated beyond its length', () => {
  // 7 of 12 positions are in use
  refuses('6 more', 'LIMIT', 'cache', () =>
    cache.append(new Float32Array(6 * 16), new Float32Array(6 * 12)),
  );
  for (const x of [8, -1, 1.5, NaN, Infinity, 2 ** 32])
    refuses(`truncate(${x})`, 'RANGE', 'length', () => cache.truncate(x));
  for (const x of ['3', null, undefined, {}, 3n])
    refuses(`truncate(${String(x)})`, 'ARG', 'length', () => cache.truncate(x));
  for (const [from, to] of [
    [0, 8],
    [-1, 3],
    [5, 4],
    [0.5, 2],
    [NaN, 3],
    [0, NaN],
    [8, 8],
  ])
    refuses(`read(${from}, ${to})`, 'RANGE', '', () => cache.read(from, to));
  refuses('a mask for more keys', 'SHAPE', 'mask', () =>
    ch.attend(good.q, cache, { heads: 4, mask: { data: new Uint8Array(8), shape: [8] } }),
  );
  for (const x of ['f8', 'q4', 'F32', 1])
    refuses(`type ${x}`, 'ARG', 'type', () => ch.kvCache({ headDim: 1, capacity: 1, type: x }));
  leaksNothing('a full cache', () =>
    cache.append(new Float32Array(6 * 16), new Float32Array(6 * 12)),
  );
});

test('snapshots that are short, long, damaged, foreign or too large change nothing', () => {
  const good = cache.snapshot();
  const target = ch.kvCache({ kvHeads: 2, headDim: 8, valueDim: 6, capacity: 12 });
  target.append(new Float32Array(16).fill(3), new Float32Array(12).fill(4));
  const before = target.snapshot();
  const unchangedCache = () => sameArray(target.snapshot(), before, 'the cache');
  const refused = (what, bytes, codes) => {
    assert.throws(
      () => target.restore(bytes),
      (e) =>
        e instanceof ClearheadError && codes.includes(e.code) && e.message.includes('snapshot'),
      what,
    );
    unchangedCache();
  };
  for (let length = 0; length < good.length; length++)
    refused(`cut to ${length}`, good.subarray(0, length), ['INTEGRITY']);
  refused('one byte more', Uint8Array.of(...good, 0), ['INTEGRITY']);
  for (let at = 0; at < good.length; at++) {
    const bad = good.slice();
    bad[at] ^= 1 << (at % 8);
    refused(`a bit of byte ${at}`, bad, ['FORMAT', 'INTEGRITY']);
  }
  for (let at = 0; at + 4 <= 40; at += 4)
    for (const count of [0xffffffff, 0x80000000, 0x7fffffff, 0x10000001]) {
      const bad = good.slice();
      new DataView(bad.buffer).setUint32(at, count, true);
      refused(`${count} at ${at}`, bad, ['FORMAT', 'INTEGRITY']);
    }
  const of = (sizes) => {
    const c = ch.kvCache({ capacity: 9, ...sizes });
    const bytes = c.snapshot();
    c.dispose();
    return bytes;
  };
  for (const sizes of [
    { kvHeads: 2, headDim: 8 },
    { kvHeads: 1, headDim: 8, valueDim: 6 },
    { kvHeads: 2, headDim: 6, valueDim: 8 },
  ])
    refused('other sizes', of(sizes), ['FORMAT']);
  const small = ch.kvCache({ kvHeads: 2, headDim: 8, valueDim: 6, capacity: 6 });
  small.append(new Float32Array(16).fill(5), new Float32Array(12).fill(6));
  const kept = small.snapshot();
  refuses('more positions than fit', 'LIMIT', 'snapshot', () => small.restore(good));
  sameArray(small.snapshot(), kept, 'a cache too small for the snapshot');
  for (const x of [null, undefined, [...good], good.buffer, 'CHKV', new Float32Array(9)])
    refuses('no bytes', 'ARG', 'snapshot', () => cache.restore(x));
  target.restore(good);
  sameArray(target.snapshot(), good, 'the intact one');
  leaksNothing('a short snapshot', () => cache.restore(good.subarray(1)));
  for (const x of [target, small]) x.dispose();
});

test('polluted prototypes and patched globals change nothing', () => {
  const expected = call({ want: { weights: true, stats: true } });
  const same = (what) => sameBits(call({ want: { weights: true, stats: true } }), expected, what);
  for (const [name, value] of Object.entries({
    length: 3,
    causal: true,
    temperature: 0,
    mask: 7,
    out: 1,
    scores: 'raw',
    heads: [0],
    rows: [0],
    data: 1,
    at: 5,
    scale: 2,
    offset: 1,
  })) {
    Object.prototype[name] = value;
    try {
      same(`Object.prototype.${name}`);
    } finally {
      delete Object.prototype[name];
    }
  }
  const patched = {
    iterator: Array.prototype[Symbol.iterator],
    map: Array.prototype.map,
    floats: globalThis.Float32Array,
  };
  globalThis.Float32Array = class Impostor {};
  try {
    same('another Float32Array');
  } finally {
    globalThis.Float32Array = patched.floats;
  }
});

test('10^4 tensors leave memory as it was; two packages are independent', async () => {
  const before = memoryUse();
  for (let x = 0; x < 1e4; x++) {
    const made = [
      ch.tensor([1 + (x % 500)]),
      ch.kvCache({ headDim: 1 + (x % 9), capacity: 1 + (x % 70) }),
      ch.tensor([x % 50], 'float64'),
    ];
    for (const i of x % 2 ? [0, 1, 2] : [2, 0, 1]) made[i].dispose();
  }
  assert.deepEqual(memoryUse(), before);
  const folder = mkdtempSync(join(tmpdir(), 'clearhead-'));
  cpSync(new URL('../../src/js/', import.meta.url), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const copy = await import(pathToFileURL(join(folder, 'index.js')));
  const twin = await copy.init({ variant: 'simd' });
  rmSync(folder, { recursive: true });
  assert.notEqual(copy.ClearheadError, ClearheadError);
  const t = twin.tensor([192]);
  assert.throws(() => call({}, { q: t }), ClearheadError);
  sameBits(twin.attention(good.q, good.k, good.v, shape), want, 'the other copy');
  unchanged('after the copy');
});
