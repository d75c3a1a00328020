/** Random lives of a KV cache, for comparing two builds of the kernels. */
import assert from 'node:assert/strict';
import { sameArray, sameBits } from './bits.js';
import { random } from './random.js';

const wants = [
  {},
  { weights: true, scores: 'raw', lse: true, stats: true },
  { scores: 'capped', lse: true, stats: true },
  { weights: true, scores: 'masked' },
];

/**
 * A random history of a cache, lived in `ch` and told to the stream at once; returns what must be
 * answered, check by check.
 */
export function history(ch, seed, stream) {
  const r = random(seed);
  const kvHeads = r.pick([1, 2, 3]);
  const headDim = r.pick([1, 3, 4, 8, 17, 70]);
  const valueDim = r.pick([1, 4, 6, 9, 33]);
  const expected = [];
  const capacity = r.pick([1, 7, 8, 9, 40, 130, 600, 1100]);
  const types = ['f32', 'f16', 'q8'];
  const type = r.pick(types);
  let cache = ch.kvCache({ kvHeads, headDim, valueDim, capacity, type });
  let space = capacity;
  const numbers = (count) => Float32Array.from({ length: count }, () => r.normal());
  // caches of bytes take off a constant that keys share
  const shared = r.pick([0, 0, 100]);
  stream.tag('C').int(kvHeads, headDim, valueDim, capacity, types.indexOf(type));
  expected.push((a) => assert.ok(a.int() > 0, 'bytes of a cache'));
  for (let step = 0; step < 12; step++) {
    const what = r.pick([
      'append',
      'append',
      'attend',
      'attend',
      'attend',
      'truncate',
      'read',
      'snapshot',
    ]);
    if (what === 'append') {
      const t = r.integer(0, Math.min(space - cache.length, r.pick([1, 9, 200, 600])));
      const layout = r.pick(['bhsd', 'bshd']);
      const k = numbers(kvHeads * t * headDim).map((x) => x + shared);
      const v = numbers(kvHeads * t * valueDim);
      cache.append(k, v, { layout });
      stream
        .operation('A', t, Number(layout === 'bshd'))
        .array(k)
        .array(v);
      expected.push((a) => assert.equal(a.int(), 0, 'append'));
    } else if (what === 'truncate') {
      const length = r.integer(0, cache.length);
      cache.truncate(length);
      stream.operation('T', length);
      expected.push((a) => assert.equal(a.int(), 0, 'truncate'));
    } else if (what === 'read') {
      const from = r.integer(0, cache.length);
      const to = r.integer(from, cache.length);
      const { k, v } = cache.read(from, to);
      stream.operation('R', from, to);
      expected.push((a) => {
        assert.equal(a.int(), 0, 'read');
        sameArray(a.nextArray(Float32Array, k.length), k, 'keys read');
        sameArray(a.nextArray(Float32Array, v.length), v, 'values read');
      });
    } else if (what === 'snapshot') {
      const snapshot = cache.snapshot();
      const other = cache.length + r.integer(1, 20);
      const next = ch.kvCache({ kvHeads, headDim, valueDim, capacity: other, type });
      next.restore(snapshot);
      cache.dispose();
      cache = next;
      space = other;
      stream.operation('S', other);
      expected.push((a) => {
        assert.equal(a.int(), 0, 'damaged snapshots taken');
        assert.equal(a.int(), 0, 'restore');
        sameArray(a.nextArray(Uint8Array, snapshot.length), snapshot, 'snapshot');
      });
    } else {
      const group = r.pick([1, 2, 3, 4, 7]);
      const heads = group * kvHeads;
      const m = r.integer(1, 6);
      const n = cache.length;
      const causal = r.chance(0.5);
      const options = {
        heads,
        causal,
        offset: r.pick([n - m, 0, n]),
        layout: r.pick(['bhsd', 'bshd']),
        window: r.pick([
          [Infinity, Infinity],
          [5, 3],
        ]),
        temperature: r.pick([1, 0.3, 0, Infinity]),
        softcap: r.pick([0, 3]),
      };
      const spans =
        n < 3
          ? undefined
          : [
              [1, n - 1],
              [n - 1, n],
            ];
      const want = { ...r.pick(wants), ...(step % 3 === 0 && { spans }) };
      const q = numbers(heads * m * headDim);
      const result = ch.attend(q, cache, { ...options, want });
      stream
        .operation('Q')
        .options({ ...options, kvHeads, headDim, valueDim }, m, n, want, step & 1)
        .array(q);
      expected.push((a) => {
        assert.equal(a.int(), 0, 'attend');
        sameBits(a.result(result), result, `attend over ${n} keys`);
      });
    }
  }
  stream.operation('E');
  cache.dispose();
  return expected;
}
