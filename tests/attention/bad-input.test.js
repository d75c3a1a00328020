/** Sizes, types and options that are none: A01–A05 of the numbered list of misuse. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { bench, good, shape } from '../support/faults.js';

const { ch } = engines[0];
const { cache, refuses, leaksNothing, room } = bench(ch);
const call = (change = {}, inputs = {}) => {
  const { q, k, v } = { ...good, ...inputs };
  return ch.attention(q, k, v, { ...shape, ...change });
};
const longer = (a, by) => {
  const b = new a.constructor(a.length + by);
  b.set(a.subarray(0, b.length));
  return b;
};
const numbers = [
  ['NaN', NaN],
  ['∞', Infinity],
  ['−∞', -Infinity],
  ['−0', -0],
  ['−1', -1],
  ['1.5', 1.5],
  ['2^31', 2 ** 31],
  ['2^32', 2 ** 32],
  ['2^53', 2 ** 53],
  ['2^32 + 1', 2 ** 32 + 1],
];

/** Things that are no numbers; reading one as a number would be noticed. */
function impostors() {
  const tripped = () => assert.fail('coerced to a primitive');
  return [
    ['"8"', '8'],
    ['[8]', [8]],
    ['valueOf', { valueOf: tripped, [Symbol.toPrimitive]: tripped }],
    ['a bigint', 8n],
    ['null', null],
    ['a symbol', Symbol('8')],
    [
      'a proxy',
      new Proxy(
        {},
        {
          get: (_, key) =>
            key === Symbol.toPrimitive || key === 'valueOf' ? tripped() : undefined,
        },
      ),
    ],
    ['a date', new Date(8)],
    ['true', true],
    ['a function', () => 8],
  ];
}

test('A01: arrays shorter or longer by one, or empty', () => {
  for (const name of ['q', 'k', 'v'])
    for (const by of [-1, 1])
      refuses(`${name} ${by}`, 'SHAPE', name, () => call({}, { [name]: longer(good[name], by) }));
  for (const name of ['k', 'v'])
    refuses(`${name} empty`, 'SHAPE', 'v', () => call({}, { [name]: new Float32Array(0) }));
  for (const length of [1, 143, 145, 0])
    refuses(`out of ${length}`, 'SHAPE', 'out', () => call({ out: new Float32Array(length) }));
  for (const by of [-1, 1]) {
    refuses('q to attend', 'SHAPE', 'q', () =>
      ch.attend(longer(good.q.subarray(0, 32), by), cache, { heads: 4 }),
    );
    refuses('k to append', 'SHAPE', 'k', () =>
      cache.append(new Float32Array(16 + by), new Float32Array(12)),
    );
    refuses('v to append', 'SHAPE', 'v', () =>
      cache.append(new Float32Array(16), new Float32Array(12 + by)),
    );
    for (const [name, length] of [
      ['keyScale', 5],
      ['alibi', 4],
      ['sinks', 4],
    ])
      refuses(name, 'SHAPE', name, () => call({ [name]: new Float32Array(length + by) }));
    for (const name of ['keyLengths', 'offset'])
      refuses(name, 'SHAPE', name, () => call({ [name]: new Int32Array(2 + by) }));
  }
  const ahead = (how) => () =>
    ch.attend(new Float32Array(32 * (cache.length + 1)), cache, { heads: 4, ...how });
  refuses(
    'more positions than a cache has',
    'SHAPE',
    'q',
    ahead({ causal: true }),
    `at most the cache's ${cache.length}`,
  );
  refuses('the same and no offset', 'ARG', 'offset', ahead({ causal: true, offset: null }));
  refuses('the same and no switch', 'ARG', 'causal', ahead({ causal: 1 }));
  leaksNothing('a long q', () => call({}, { q: longer(good.q, 1) }));
  leaksNothing('a long keyScale', () => call({ keyScale: new Float32Array(6) }));
});

test('A02: sizes that are no sizes', () => {
  for (const [what, x] of numbers) {
    for (const name of ['batch', 'heads', 'kvHeads', 'headDim', 'valueDim'])
      refuses(`${name} = ${what}`, 'RANGE', name, () => call({ [name]: x }));
    for (const name of ['kvHeads', 'headDim', 'valueDim', 'capacity'])
      refuses(`cache ${name} = ${what}`, 'RANGE LIMIT', name, () =>
        ch.kvCache({ kvHeads: 1, headDim: 2, capacity: 3, [name]: x }),
      );
    refuses(`heads = ${what}`, 'RANGE', 'heads', () => ch.attend(good.q, cache, { heads: x }));
    refuses(`shape ${what}`, 'RANGE LIMIT OOM', 'shape[1]', () => ch.tensor([2, x]));
    refuses(`mask shape ${what}`, 'RANGE SHAPE LIMIT', 'mask', () =>
      call({ mask: { data: new Uint8Array(15), shape: [3, x] } }),
    );
    for (const axis of ['heads', 'rows'])
      refuses(`chosen ${axis} ${what}`, 'RANGE', `${axis}[1]`, () =>
        call({ want: { weights: { [axis]: [0, x] } } }),
      );
    if (![-1, -0].includes(x))
      refuses(`offset ${what}`, 'RANGE', 'offset', () => call({ offset: x, causal: true }));
    if (x !== Infinity)
      refuses(`window ${what}`, 'RANGE', 'window[1]', () => call({ window: [0, x] }));
  }
  const wide = new Float32Array(2000);
  for (const name of ['headDim', 'valueDim']) {
    refuses(
      `${name} too large`,
      'LIMIT',
      name,
      () => ch.attention(wide, wide, wide, { headDim: 1000, valueDim: 1000, [name]: 2000 }),
      'at most 1024',
    );
    refuses(
      `${name} of a cache too large`,
      'LIMIT',
      name,
      () => ch.kvCache({ headDim: 2, capacity: 3, [name]: 2000 }),
      'at most 1024',
    );
  }
  refuses(
    'heads that no key heads divide',
    'SHAPE',
    'heads',
    () => ch.attention(wide, wide, wide, { headDim: 4, heads: 5, kvHeads: 2 }),
    'a multiple of kvHeads = 2',
  );
});

test('A03: strings, arrays, objects, bigints and dates are no numbers', () => {
  for (const [what, x] of impostors()) {
    for (const name of [
      'batch',
      'heads',
      'kvHeads',
      'headDim',
      'valueDim',
      'scale',
      'temperature',
      'softcap',
      'causal',
      'layout',
      'window',
      'mask',
      'keyLengths',
      'keyScale',
      'alibi',
      'sinks',
      'out',
      'want',
      'offset',
    ]) {
      // as a list of options, an object without names of its own is an empty one
      if (
        (name === 'causal' && x === true) ||
        (name === 'want' && ['a proxy', 'a date'].includes(what))
      )
        continue;
      refuses(`${name} = ${what}`, name === 'window' ? 'ARG RANGE SHAPE' : 'ARG RANGE', name, () =>
        call({ [name]: x }),
      );
    }
    for (const name of ['headDim', 'capacity', 'type'])
      refuses(`cache ${name} = ${what}`, 'ARG RANGE', name, () =>
        ch.kvCache({ headDim: 2, capacity: 3, [name]: x }),
      );
    refuses(`heads = ${what} to attend`, 'ARG RANGE', 'heads', () =>
      ch.attend(good.q, cache, { heads: x }),
    );
    refuses(`tensor ${what}`, 'ARG RANGE', 'shape', () => ch.tensor([x]));
    refuses(`dtype ${what}`, 'ARG', 'dtype', () => ch.tensor([1], x));
    if (x !== null && !['object', 'function'].includes(typeof x))
      refuses(`options ${what}`, 'ARG', 'options', () => ch.attention(good.q, good.k, good.v, x));
  }
  refuses('no options', 'ARG RANGE', 'headDim', () => ch.attention(good.q, good.k, good.v));
  refuses('null options', 'ARG', 'options', () => ch.attention(good.q, good.k, good.v, null));
  const gap = (x) => Object.assign([], { 1: x });
  refuses('a window with a hole', 'ARG', 'window[0]', () => call({ window: gap(1) }));
  refuses('chosen rows with a hole', 'ARG', 'rows[0]', () =>
    call({ want: { weights: { rows: gap(1) } } }),
  );
  refuses('chosen rows without end', 'LIMIT', 'rows', () =>
    call({ want: { weights: { rows: new Array(2 ** 32 - 1) } } }),
  );
  refuses('a mask shape with a hole', 'ARG', 'mask.shape[0]', () =>
    call({ mask: { data: new Uint8Array(5), shape: gap(5) } }),
  );
  refuses('a tensor shape with a hole', 'ARG', 'shape[0]', () => ch.tensor(gap(5)));
  for (const scores of ['RAW', '', true, 0])
    refuses(`scores ${scores}`, 'ARG', 'scores', () => call({ want: { scores } }));
  for (const name of ['Causal', 'temprature', 'mask '])
    refuses(`option ${name}`, 'ARG', name, () => call({ [name]: 1 }));
  refuses('an unknown wish', 'ARG', 'entropy', () => call({ want: { entropy: true } }));
  refuses('an option of attention for attend', 'ARG', 'headDim', () =>
    ch.attend(good.q, cache, { heads: 4, headDim: 8 }),
  );
  leaksNothing('a wrong layout', () => call({ layout: 'hsbd' }));
});

test('A04: each option is read once, and what a getter throws passes through', () => {
  const reads = {};
  const options = {};
  const values = {
    ...shape,
    causal: true,
    temperature: 1,
    mask: { data: new Uint8Array(15).fill(1), shape: [3, 5] },
    want: { lse: true },
  };
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(options, name, {
      enumerable: true,
      get: () => {
        reads[name] = (reads[name] ?? 0) + 1;
        return value;
      },
    });
  sameBits(ch.attention(good.q, good.k, good.v, options), call(values), 'options by getters');
  assert.deepEqual(reads, Object.fromEntries(Object.keys(values).map((name) => [name, 1])));
  const mine = new Error('mine');
  assert.throws(
    () =>
      call({
        get scale() {
          throw mine;
        },
      }),
    mine,
  );
  const before = room();
  for (let x = 0; x < 100; x++)
    assert.throws(
      () =>
        ch.attention(good.q, good.k, good.v, {
          ...shape,
          get want() {
            throw mine;
          },
        }),
      mine,
    );
  assert.deepEqual(room(), before);
});

test('A05: arrays of another kind are refused, never reinterpreted', () => {
  const others = [
    new Int32Array(192),
    new Uint8Array(192),
    new Uint16Array(192),
    new BigInt64Array(192),
    new DataView(new ArrayBuffer(768)),
    [...good.q],
    Buffer.alloc(192),
    new ArrayBuffer(768),
    'q',
    null,
    undefined,
    {},
    { length: 192 },
  ];
  for (const x of others)
    for (const name of ['q', 'k', 'v'])
      refuses(`${name} ${x?.constructor?.name}`, 'ARG', name, () => call({}, { [name]: x }));
  refuses('mixed k', 'ARG', 'k', () => call({}, { k: Float64Array.from(good.k) }));
  refuses('mixed v', 'ARG', 'v', () => call({}, { v: Float64Array.from(good.v) }));
  refuses('float64 for a cache', 'ARG', 'q', () =>
    ch.attend(Float64Array.from(good.q), cache, { heads: 4 }),
  );
  refuses('out of another type', 'ARG', 'out', () => call({ out: new Float64Array(144) }));
  for (const data of [
    new Int8Array(15),
    new Uint8ClampedArray(15),
    new Int32Array(15),
    [1, 1],
    null,
  ])
    refuses(`mask of ${data?.constructor?.name}`, 'ARG', 'mask', () =>
      call({ mask: { data, shape: [3, 5] } }),
    );
  for (const x of [new Float32Array(2), [1, 1], new BigInt64Array(2)])
    for (const name of ['keyLengths', 'offset'])
      refuses(`${name} of ${x.constructor.name}`, 'ARG', name, () => call({ [name]: x }));
});
