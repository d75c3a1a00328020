/** A KV cache that was truncated, cloned or restored continues with the same bits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { random } from '../support/random.js';
import { all } from '../support/attention/attend.js';
import { cacheOf, calls, positions } from '../support/cache/calls.js';

/** How a call is asked of a cache, whose capacity and how many of its positions remain. */
function plan(ch, { c, s, q, options: given }) {
  // not the options that speak of all n keys: the cache will hold fewer for a while
  const { mask, keyScale, keyLengths, ...options } = given;
  const r = random(c.seed);
  const capacity = s.n + r.integer(0, 9);
  const how = { ...options, offset: options.offset ?? 0, want: all };
  return { c, s, capacity, keep: r.integer(0, s.n), ask: (cache) => ch.attend(q, cache, how) };
}

/** Appends positions [from, to) of a call. */
const append = (cache, { s, k, v }, from, to) =>
  cache.append(
    positions(k, s.kvHeads, s.n, s.d, from, to),
    positions(v, s.kvHeads, s.n, s.dv, from, to),
  );

/** A fresh cache of the first `count` positions. */
function beginningOf(ch, call, count) {
  const cache = ch.kvCache({ ...call.sizes, capacity: Math.max(1, count) });
  append(cache, call, 0, count);
  return cache;
}

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('a snapshot may lie in the engine’s own memory, though what restores it needs more', () => {
    const whole = ch.kvCache({ headDim: 64, capacity: 4000 });
    const values = new Float32Array(64 * 4000).map((_, i) => i % 97);
    whole.append(values, values);
    const bytes = whole.snapshot();
    const tensor = ch.tensor([Math.ceil(bytes.length / 4)]);
    const inside = () => new Uint8Array(tensor.data.buffer, tensor.data.byteOffset, bytes.length);
    inside().set(bytes);
    for (let round = 0; round < 3; round++) {
      const other = ch.kvCache({ headDim: 64, capacity: 4000 + round });
      other.restore(inside());
      sameArray(other.snapshot(), bytes, 'snapshot');
      other.dispose();
    }
    for (const x of [whole, tensor]) x.dispose();
  });

  claim('a truncated, cloned or restored cache continues with the same bits', () => {
    for (const call of calls(200, 302000)) {
      const { c, s, ask, capacity, keep } = plan(ch, call);
      const first = cacheOf(ch, call, capacity);
      const want = ask(first);
      const short = ask(beginningOf(ch, call, keep));
      first.truncate(keep);
      const twin = first.clone();
      const other = cacheOf(ch, call, s.n + 3);
      other.restore(first.snapshot());
      for (const [name, cache] of Object.entries({
        truncated: first,
        cloned: twin,
        restored: other,
      })) {
        assert.equal(cache.length, keep);
        sameBits(ask(cache), short, `${c.name}: ${name} to ${keep}`);
        append(cache, call, keep, s.n);
        sameBits(ask(cache), want, `${c.name}: ${name} and refilled`);
      }
      sameArray(twin.snapshot(), other.snapshot(), 'snapshots of equal caches');
      for (const cache of [first, twin, other]) cache.dispose();
    }
  });

  claim('numbers that were truncated reach no result, NaN neither', () => {
    for (const call of calls(200, 302000)) {
      const { c, ask, capacity } = plan(ch, call);
      const whole = cacheOf(ch, call, capacity);
      const poison = ch.kvCache({ ...call.sizes, capacity });
      poison.append(
        call.k.map(() => NaN),
        call.v.map(() => Infinity),
      );
      poison.truncate(0);
      poison.append(call.k, call.v);
      sameBits(ask(poison), ask(whole), c.name);
      for (const cache of [whole, poison]) cache.dispose();
    }
  });

  claim('a clone and its origin do not share anything', () => {
    const cache = ch.kvCache({ headDim: 2, capacity: 9 });
    cache.append(Float32Array.of(1, 2), Float32Array.of(3, 4));
    const twin = cache.clone();
    const before = cache.read();
    twin.append(Float32Array.of(5, 6), Float32Array.of(7, 8));
    twin.truncate(0);
    twin.append(Float32Array.of(9, 9), Float32Array.of(9, 9));
    sameBits(cache.read(), before, 'the origin');
    assert.deepEqual(
      [cache.length, twin.length, twin.capacity, twin.bytes],
      [1, 1, 9, cache.bytes],
    );
    cache.dispose();
    sameBits(
      twin.read(),
      { k: Float32Array.of(9, 9), v: Float32Array.of(9, 9) },
      'the clone outlives it',
    );
    twin.dispose();
  });
}
