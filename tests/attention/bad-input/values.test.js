/** Values, shapes and masks that cannot be, or just can. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameBits } from '../../support/bits.js';
import { engines } from '../../support/engines.js';
import { bench, good, shape } from '../../support/faults.js';
import { compare } from '../../support/limits.js';
import { reference } from '../../support/reference.js';

const { ch } = engines[0];
const { cache, refuses, leaksNothing, memoryUse } = bench(ch);
const call = (change = {}, inputs = {}) => {
  const { q, k, v } = { ...good, ...inputs };
  return ch.attention(q, k, v, { ...shape, ...change });
};

test('any alignment, and views that end with their buffer, give the same bits', () => {
  const want = call();
  for (const shift of [1, 2, 3]) {
    const view = (a) => {
      const b = new Float32Array(new ArrayBuffer((a.length + shift) * 4), shift * 4);
      b.set(a);
      return b;
    };
    sameBits(
      call({}, { q: view(good.q), k: view(good.k), v: view(good.v) }),
      want,
      `shift ${shift}`,
    );
  }
});

test('no queries or no keys give empty results, and no size is refused', () => {
  const none = new Float32Array(0);
  assert.equal(call({}, { q: none }).output.length, 0);
  const { output, weights, lse } = call(
    { want: { weights: true, lse: true } },
    { k: none, v: none },
  );
  assert.deepEqual(
    [output.every((x) => x === 0), weights.length, lse.every((x) => x === -Infinity)],
    [true, 0, true],
  );
  assert.equal(
    call({ want: { weights: true, stats: true } }, { q: none, k: none, v: none }).output.length,
    0,
  );
  for (const x of [none, new Float64Array(0)]) {
    const { output } = ch.attention(x, x, x, { batch: 2 ** 15, heads: 2 ** 14, headDim: 1 });
    assert.equal(output.length, 0, 'the heads are not gone through');
  }
  for (const name of ['batch', 'heads', 'kvHeads', 'headDim', 'valueDim'])
    refuses(`${name} = 0`, 'RANGE', name, () => call({ [name]: 0 }, { q: none, k: none, v: none }));
  refuses('capacity 0', 'RANGE', 'capacity', () => ch.kvCache({ headDim: 1, capacity: 0 }));
});

test('a call that is too large is refused before anything is allocated', () => {
  const before = memoryUse();
  const one = new Float32Array(1);
  const big = new Float32Array(40000);
  refuses('a head of 2^20', 'LIMIT', '', () =>
    ch.attention(new Float32Array(2 ** 20), new Float32Array(2 ** 20), new Float32Array(2 ** 20), {
      headDim: 2 ** 20,
    }),
  );
  refuses('2^32 heads in all', 'SHAPE', 'q', () =>
    ch.attention(one, one, one, { batch: 65536, heads: 65536, headDim: 1 }),
  );
  refuses('2^32 heads in all, without queries and keys', 'LIMIT', 'shape', () =>
    ch.attention(...Array(3).fill(new Float32Array(0)), {
      batch: 65536,
      heads: 65536,
      headDim: 1,
    }),
  );
  refuses('2^62 heads in all', 'SHAPE', 'q', () =>
    ch.attention(one, one, one, { batch: 2 ** 31 - 1, heads: 2 ** 31 - 1, headDim: 1 }),
  );
  for (const want of [{ weights: true }, { scores: 'raw' }])
    refuses(`6.4 GB of ${Object.keys(want)}`, 'LIMIT OOM', '', () =>
      ch.attention(big, big, big, { headDim: 1, want }),
    );
  for (const sizes of [
    [65536, 65536],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [2 ** 30],
    [2 ** 20, 2 ** 20, 2 ** 20],
  ])
    refuses(`a tensor of ${sizes}`, 'LIMIT OOM', '', () => ch.tensor(sizes, 'float64'));
  for (const change of [
    { capacity: 2 ** 30, headDim: 1024 },
    { capacity: 2 ** 31 - 1 },
    { kvHeads: 2 ** 31 - 1 },
    { kvHeads: 65536, capacity: 65536 },
    { headDim: 2 ** 20 },
  ])
    refuses(`a cache of ${JSON.stringify(change)}`, 'LIMIT OOM', '', () =>
      ch.kvCache({ headDim: 4, capacity: 4, ...change }),
    );
  assert.deepEqual(memoryUse(), before, 'memory did not grow');
});

test('heads that kvHeads do not divide are refused', () => {
  for (const kvHeads of [3, 8])
    refuses(`4 heads on ${kvHeads}`, 'SHAPE', 'heads', () => call({ kvHeads }));
  refuses('3 heads on a cache of 2', 'SHAPE', 'heads', () =>
    ch.attend(new Float32Array(24), cache, { heads: 3 }),
  );
});

test('every finite scale is right, others are refused', () => {
  for (const scale of [NaN, Infinity, -Infinity])
    refuses(`scale ${scale}`, 'RANGE', 'scale', () => call({ scale }));
  for (const scale of [0, -0, -1, 1e-45, 5e-324, 1e-30]) {
    const options = { ...shape, scale };
    for (const { what, ratio } of compare(
      call({ scale }),
      reference(good.q, good.k, good.v, options),
      'float32',
      false,
    ))
      assert.ok(ratio <= 1, `scale ${scale}: ${what}`);
  }
  for (const scale of [1e38, -1e308])
    assert.ok(
      call({ scale }).output.every((x) => Number.isNaN(x) || Math.abs(x) < 10),
      `scale ${scale}`,
    );
});

test('temperature and softcap outside their range are refused', () => {
  for (const x of [-1, -1e-300, NaN, -Infinity])
    for (const name of ['temperature', 'softcap'])
      refuses(`${name} ${x}`, 'RANGE', name, () => call({ [name]: x }));
  refuses('softcap ∞', 'RANGE', 'softcap', () => call({ softcap: Infinity }));
  sameBits(call({ temperature: -0 }), call({ temperature: 0 }), 'T = −0');
  for (const temperature of [5e-324, 1e-30, 1e-5, 1e30, 1e308])
    assert.ok(call({ temperature }).output.every(Number.isFinite), `T = ${temperature}`);
});

test('an output that overlaps an input is refused, whichever it is', () => {
  const buffer = new Float32Array(1000);
  const options = { heads: 2, headDim: 4 };
  const at = (from, length = 24) => buffer.subarray(from, from + length);
  for (const from of [0, 1, 23]) {
    refuses(`out over q + ${from}`, 'ALIAS', 'out', () =>
      ch.attention(at(100), at(200), at(300), { ...options, out: at(100 + from) }),
    );
    refuses(`out over k + ${from}`, 'ALIAS', 'out', () =>
      ch.attention(at(100), at(200), at(300), { ...options, out: at(200 + from) }),
    );
    refuses(`out over v − ${from}`, 'ALIAS', 'out', () =>
      ch.attention(at(100), at(200), at(300), { ...options, out: at(300 - from) }),
    );
  }
  const t = ['q', 'k', 'v'].map(() => ch.tensor([24]));
  for (const out of t)
    refuses('out is an input tensor', 'ALIAS', 'out', () =>
      ch.attention(...t, { ...options, out }),
    );
  refuses('out is a view of an input tensor', 'ARG', 'out', () =>
    ch.attention(...t, { ...options, out: t[1].data }),
  );
  assert.equal(
    ch.attention(at(100), at(200), at(300), { ...options, out: at(124) }).output.length,
    24,
    'neighbours do not overlap',
  );
  // a mask or a scale that the kernel would still read while it writes
  const m = ch.tensor([24]);
  const three = ch.tensor([24]);
  m.data.fill(0);
  refuses('out is the mask', 'ALIAS', 'out', () =>
    ch.attention(...t, { ...options, out: m, mask: { data: m, shape: [24] } }),
  );
  refuses('a view as an input', 'ARG', 'q', () => ch.attention(three.data, t[1], t[2], options));
  for (const x of [...t, m, three]) x.dispose();
});

test('masks of a wrong shape are refused, and NaN in a mask gives a NaN row', () => {
  const mask = (sizes, Type = Uint8Array) =>
    call({ mask: { data: new Type(sizes.reduce((a, b) => a * b, 1)), shape: sizes } });
  for (const sizes of [
    [],
    [6],
    [4, 5],
    [2, 5],
    [3, 3, 5],
    [2, 4, 3, 6],
    [3, 4, 3, 5],
    [1, 1, 1, 3, 5],
    [2, 2, 3, 5],
  ])
    for (const Type of [Uint8Array, Float32Array])
      refuses(`mask [${sizes}]`, 'SHAPE', 'mask', () => mask(sizes, Type));
  for (const length of [14, 16, 0])
    refuses(`mask of ${length} for [3,5]`, 'SHAPE', 'mask', () =>
      call({ mask: { data: new Uint8Array(length), shape: [3, 5] } }),
    );
  for (const bad of [
    { data: new Uint8Array(15) },
    { shape: [3, 5] },
    {},
    new Uint8Array(15),
    { data: new Uint8Array(15), shape: 15 },
  ])
    refuses('half a mask', 'ARG SHAPE', 'mask', () => call({ mask: bad }));
  for (const bad of [new Uint8Array(15), [1, 1], null])
    refuses('a mask that is its data', 'ARG', 'mask', () => call({ mask: bad }), '{ data, shape }');
  for (const data of [new Int32Array(15), [1, 1], undefined])
    refuses(
      'data of another kind',
      'ARG',
      'mask',
      () => call({ mask: { data, shape: [3, 5] } }),
      'Uint8Array or Float32Array',
    );
  refuses('an unknown part', 'ARG', 'kind', () =>
    call({ mask: { data: new Uint8Array(15), shape: [3, 5], kind: 'bool' } }),
  );
  const nan = new Float32Array(15);
  nan[7] = NaN;
  const { output } = call({ mask: { data: nan, shape: [3, 5] } });
  output.forEach((x, at) => assert.equal(Number.isNaN(x), Math.floor(at / 6) % 3 === 1));
  leaksNothing('a wrong mask', () => mask([4, 5]));
});
