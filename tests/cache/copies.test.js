/** A KV cache that was truncated, cloned or restored continues with the same bits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { random } from '../support/random.js';
import { all } from '../support/attention/attend.js';
import { cacheOf, calls, positions } from '../support/cache/calls.js';

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

  claim(
    'a cache that was truncated and refilled, cloned or restored continues with the same bits',
    () => {
      for (const call of calls(200, 302000)) {
        // not the options that speak of all n keys: the cache will hold fewer for a while
        const { c, s, q, k, v, sizes } = call;
        const { mask, keyScale, keyLengths, ...options } = call.options;
        const r = random(c.seed);
        const capacity = s.n + r.integer(0, 9);
        const keep = r.integer(0, s.n);
        const ask = (cache) =>
          ch.attend(q, cache, { ...options, offset: options.offset ?? 0, want: all });
        const rest = (cache) =>
          cache.append(
            positions(k, s.kvHeads, s.n, s.d, keep, s.n),
            positions(v, s.kvHeads, s.n, s.dv, keep, s.n),
          );
        const first = cacheOf(ch, call, capacity);
        const want = ask(first);
        const poison = ch.kvCache({ ...sizes, capacity });
        poison.append(
          k.map(() => NaN),
          v.map(() => Infinity),
        );
        poison.truncate(0);
        poison.append(k, v);
        sameBits(ask(poison), want, `${c.name}: over forgotten NaN`);
        first.truncate(keep);
        const short = ask(part1(ch, call, keep));
        sameBits(ask(first), short, `${c.name}: truncated to ${keep}`);
        const twin = first.clone();
        const bytes = first.snapshot();
        const other = ch.kvCache({ ...sizes, capacity: s.n + 3 });
        other.append(k, v);
        other.restore(bytes);
        for (const [name, cache] of Object.entries({
          truncated: first,
          cloned: twin,
          restored: other,
        })) {
          assert.equal(cache.length, keep);
          sameBits(ask(cache), short, `${c.name}: ${name}`);
          rest(cache);
          sameBits(ask(cache), want, `${c.name}: ${name} and refilled`);
        }
        sameArray(twin.snapshot(), other.snapshot(), 'snapshots of equal caches');
        for (const cache of [first, twin, other, poison]) cache.dispose();
      }
      /** A fresh cache of the first `count` positions. */
      function part1(engine, { s, k, v, sizes }, count) {
        const cache = engine.kvCache({ ...sizes, capacity: Math.max(1, count) });
        cache.append(
          positions(k, s.kvHeads, s.n, s.d, 0, count),
          positions(v, s.kvHeads, s.n, s.dv, 0, count),
        );
        return cache;
      }
    },
  );

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
