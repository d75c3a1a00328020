/** Attention refuses options and arrays of other types, by name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameBits } from '../../support/bits.js';
import { good, shape } from '../../support/faults.js';
import {
  cache,
  call,
  ch,
  impostors,
  leaksNothing,
  refuses,
  memoryUse,
} from '../../support/attention/bad-calls.js';

const OPTIONS = [
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
];

for (const [what, x] of impostors())
  test(`${what} is refused as an option, a size and a type`, () => {
    // as a list of options, an object without names of its own is an empty one
    const isList = ['a proxy', 'a date'].includes(what);
    for (const name of OPTIONS) {
      if ((name === 'causal' && x === true) || (name === 'want' && isList)) continue;
      const codes = name === 'window' ? 'ARG RANGE SHAPE' : 'ARG RANGE';
      refuses(`${name} = ${what}`, codes, name, () => call({ [name]: x }));
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
  });

test('a call without options is refused', () => {
  refuses('no options', 'ARG RANGE', 'headDim', () => ch.attention(good.q, good.k, good.v));
  refuses('null options', 'ARG', 'options', () => ch.attention(good.q, good.k, good.v, null));
});

test('lists with holes, and lists too long to read, are refused', () => {
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
});

test('an option or result that does not exist is refused, and keeps no memory', () => {
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

/** The values as getters, and how often each was read. */
function counted(values) {
  const reads = {};
  const options = {};
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(options, name, {
      enumerable: true,
      get: () => {
        reads[name] = (reads[name] ?? 0) + 1;
        return value;
      },
    });
  return { options, reads };
}

test('each option is read once', () => {
  const values = {
    ...shape,
    causal: true,
    temperature: 1,
    mask: { data: new Uint8Array(15).fill(1), shape: [3, 5] },
    want: { lse: true },
  };
  const { options, reads } = counted(values);
  sameBits(ch.attention(good.q, good.k, good.v, options), call(values), 'options by getters');
  assert.deepEqual(reads, Object.fromEntries(Object.keys(values).map((name) => [name, 1])));
});

test('an error of a getter passes through, and no memory is kept', () => {
  const mine = new Error('mine');
  const throwing = (name) =>
    Object.defineProperty({ ...shape }, name, {
      enumerable: true,
      get() {
        throw mine;
      },
    });
  const read = (options) => ch.attention(good.q, good.k, good.v, options);
  assert.throws(() => read(throwing('scale')), mine);
  const before = memoryUse();
  for (let x = 0; x < 100; x++) assert.throws(() => read(throwing('want')), mine);
  assert.deepEqual(memoryUse(), before);
});

test('arrays of another kind are refused, never reinterpreted', () => {
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
