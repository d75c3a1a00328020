/**
 * Snapshots say which version of their format they have: caches that keep bytes have the second,
 * all others the first. A first one of bytes is still read.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { holding, refused } from '../support/cache/types.js';
import { engines } from '../support/engines.js';
import { random } from '../support/random.js';

const TYPES = ['f32', 'f16', 'q8'];
const HEADER = 28;

/** FNV-1a of 64 bits. */
function checksum(bytes) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}

/** A snapshot of the bytes behind the header, with a checksum that fits. */
function sealed(version, { kvHeads, d, dv }, length, type, body) {
  const bytes = new Uint8Array(HEADER + body.length + 8);
  const view = new DataView(bytes.buffer);
  bytes.set([...'CHKV'].map((letter) => letter.charCodeAt(0)));
  [version, kvHeads, d, dv, length, TYPES.indexOf(type)].forEach((x, at) =>
    view.setUint32(4 + 4 * at, x, true),
  );
  bytes.set(body, HEADER);
  view.setBigUint64(HEADER + body.length, checksum(bytes.subarray(0, -8)), true);
  return bytes;
}

/** Vectors of bytes with a scale each, as version 1 has them, and the numbers they are. */
function bytesWithScales(r, count, size) {
  const records = new Uint8Array(count * (4 + size));
  const numbers = new Float32Array(count * size);
  const view = new DataView(records.buffer);
  for (let row = 0; row < count; row++) {
    const scale = Math.fround(r.uniform() / 127);
    view.setFloat32(row * (4 + size), scale, true);
    for (let c = 0; c < size; c++) {
      const byte = r.integer(-127, 127);
      view.setInt8(row * (4 + size) + 4 + c, byte);
      numbers[row * size + c] = scale * byte;
    }
  }
  return { records, numbers };
}

/** A snapshot of version 1 of a cache that keeps bytes, and the keys and values in it. */
function firstVersion(r, s, length) {
  const k = bytesWithScales(r, s.kvHeads * length, s.d);
  const v = bytesWithScales(r, s.kvHeads * length, s.dv);
  const body = new Uint8Array([...k.records, ...v.records]);
  return { snapshot: sealed(1, s, length, 'q8', body), k: k.numbers, v: v.numbers };
}

const cacheOf = (ch, { kvHeads, d, dv }, capacity, type) =>
  ch.kvCache({ kvHeads, headDim: d, valueDim: dv, capacity, type });

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('bytes of version 1 are read as they were written, over whatever was there', () => {
    const s = { kvHeads: 2, d: 13, dv: 6 };
    for (const length of [0, 1, 5, 8, 9, 40, 512, 700]) {
      const r = random(length);
      const { snapshot, k, v } = firstVersion(r, s, length);
      const cache = cacheOf(ch, s, 1100, 'q8');
      const other = Float32Array.from({ length: 2 * 900 * 13 }, () => 50 + r.normal());
      cache.append(other, other.subarray(0, 2 * 900 * 6));
      cache.restore(snapshot);
      assert.equal(cache.length, length);
      sameBits(cache.read(), { k, v }, `${length} positions`);
      const q = Float32Array.from({ length: 4 * 13 }, () => r.normal());
      const exact = ch.attention(q, k, v, { heads: 4, kvHeads: 2, headDim: 13, valueDim: 6 });
      const { output } = ch.attend(q, cache, { heads: 4, causal: false });
      // queries and weights have 15 bits
      output.forEach((x, at) => assert.ok(Math.abs(x - exact.output[at]) < 1e-3, `output ${at}`));
      cache.dispose();
    }
  });

  claim('a cache from version 1 goes on as any other, and has version 2 from then on', () => {
    const s = { kvHeads: 2, d: 13, dv: 6 };
    for (const length of [0, 1, 5, 9, 511, 600]) {
      const r = random(100 + length);
      const cache = cacheOf(ch, s, 1100, 'q8');
      cache.restore(firstVersion(r, s, length).snapshot);
      const k = Float32Array.from({ length: 2 * 450 * 13 }, () => 400 + r.normal());
      cache.append(k, k.subarray(0, 2 * 450 * 6));
      const kept = cache.read(length, length + 450).k;
      k.forEach((x, at) => assert.ok(Math.abs(kept[at] - x) <= 410 / 254, `${x}: ${kept[at]}`));
      const snapshot = cache.snapshot();
      assert.equal(snapshot[4], 2);
      const restored = cacheOf(ch, s, 1100, 'q8');
      restored.restore(snapshot);
      sameBits(restored.read(), cache.read(), 'restored');
      sameArray(restored.snapshot(), snapshot, 'its snapshot');
      for (const x of [cache, restored]) x.dispose();
    }
  });

  claim('a version that is not known is refused as such, and nothing changes', () => {
    const s = { kvHeads: 1, d: 4, dv: 4, n: 3 };
    const numbers = Float32Array.from({ length: 12 }, (_, x) => x);
    for (const [type, versions] of [
      ['f32', [0, 2, 3, 0x80000001]],
      ['f16', [0, 2, 3]],
      ['q8', [0, 3, 0x80000002]],
    ])
      for (const version of versions) {
        const cache = holding(ch, type, s, numbers, numbers);
        const before = cache.snapshot();
        const body = before.subarray(HEADER, -8);
        cache.restore(sealed(before[4], s, 3, type, body));
        refused(
          () => cache.restore(sealed(version, s, 3, type, body)),
          'FORMAT',
          /not of such a cache, or of a later version; /,
        );
        sameArray(cache.snapshot(), before, `${type}, version ${version}`);
        cache.dispose();
      }
  });

  claim('a snapshot that is shorter than its references is damaged', () => {
    const s = { kvHeads: 3, d: 20, dv: 4 };
    const cache = cacheOf(ch, s, 5, 'q8');
    for (const size of [0, 1, 24, 3 * 2 * 20 * 4 - 1, 3 * 2 * 20 * 4 + 1])
      refused(() => cache.restore(sealed(2, s, 0, 'q8', new Uint8Array(size))), 'INTEGRITY');
    cache.restore(sealed(2, s, 0, 'q8', new Uint8Array(3 * 2 * 20 * 4)));
    cache.dispose();
  });
}

test('variants take the same snapshots and read the same numbers from them', () => {
  const s = { kvHeads: 2, d: 13, dv: 6, n: 1100 };
  const r = random(9);
  const k = Float32Array.from({ length: 2 * 1100 * 13 }, () => 400 + r.normal());
  const caches = engines.map(({ ch }) => holding(ch, 'q8', s, k, k.subarray(0, 2 * 1100 * 6)));
  const snapshot = caches[0].snapshot();
  const kept = caches[0].read();
  for (const cache of caches) {
    sameArray(cache.snapshot(), snapshot, 'snapshot');
    cache.truncate(0);
    cache.restore(snapshot);
    sameBits(cache.read(), kept, 'read');
    cache.dispose();
  }
});
