/** Attention refuses arrays and sizes that do not fit, by name. */
import { test } from 'node:test';
import { good } from '../../support/faults.js';
import {
  cache,
  call,
  ch,
  leaksNothing,
  longer,
  numbers,
  refuses,
} from '../../support/attention/bad-calls.js';

test('arrays shorter or longer by one, or empty, are refused', () => {
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

test('sizes that are no whole numbers of their range are refused', () => {
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
