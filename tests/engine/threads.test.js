/** Threads give the same bits as one, and share only calls that are large enough. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import {
  calls,
  CALLS,
  nextTurn,
  numbers,
  one,
  pages,
  run,
  wants,
  withFault,
} from '../support/engine/thread-calls.js';
import { threaded } from '../support/engine/threaded.js';

/** One query and more over a cache. */
function decoded(ch) {
  const cache = ch.kvCache({ kvHeads: 3, headDim: 64, capacity: 6000 });
  cache.append(numbers(1, 3 * 5000 * 64), numbers(2, 3 * 5000 * 64));
  const options = { heads: 9, causal: true, want: { stats: true, lse: true } };
  const results = [1, 2, 5, 200].map((m) => ch.attend(numbers(m, 9 * m * 64), cache, options));
  cache.dispose();
  return results;
}

for (const { variant, ch } of engines) {
  /** The results of one thread, which are the same for any number: by call and by `wants`. */
  const expected = new Map();
  const ofOne = (call) => {
    if (!expected.has(call))
      expected.set(
        call,
        wants.map((want) => run(ch, call, want)),
      );
    return expected.get(call);
  };

  let decodedByOne;

  for (const count of [2, 3, 5])
    test(`${count} threads give the bits of one (${variant})`, async () => {
      const shared = await threaded({ variant, threads: count });
      const { info } = shared;
      assert.deepEqual([info.variant, info.threads, info.why], [variant, count, '']);
      calls.forEach((call, y) =>
        wants.forEach((want, x) => {
          // two threads with all that can be wanted, and more threads with a third of it
          if (count === 2 || (x + y) % 3 === 0)
            sameBits(run(shared, call, want), ofOne(call)[x], call.name);
        }),
      );
      const [call] = calls;
      const [{ output }] = ofOne(call);
      for (const out of [shared.tensor([output.length]), new Float32Array(output.length)])
        for (const result of [
          shared.attention(call.q, call.k, call.v, { ...call.options, out }).output,
          out.data ?? out,
        ])
          sameBits({ result }, { result: output }, 'into an output of the caller');
      decodedByOne ??= decoded(ch);
      decoded(shared).forEach((got, x) => sameBits(got, decodedByOne[x], `decode ${x}`));
      shared.dispose();
      assert.equal(shared.info.threads, 1);
      sameBits(run(shared, calls[0]), ofOne(calls[0])[0], 'after dispose');
    });
}

test('small calls are not shared out', async () => {
  const ch = await withFault('before');
  const call = (size) =>
    run(ch, {
      q: numbers(1, size * 64),
      k: numbers(2, size * 64),
      v: numbers(3, size * 64),
      options: { headDim: 64 },
    });
  const cache = ch.kvCache({ kvHeads: 3, headDim: 64, capacity: 64 });
  cache.append(numbers(4, 3 * 64 * 64), numbers(5, 3 * 64 * 64));
  for (let x = 0; x < 20; x++) {
    call(8);
    ch.attend(numbers(6, 9 * 64), cache, { heads: 9 });
  }
  await new Promise((done) => setTimeout(done, 100));
  assert.deepEqual([ch.info.threads, ch.info.why], [2, '']);
  for (let x = 0; ch.info.threads > 1 && x < CALLS; x++) {
    call(600);
    await nextTurn();
  }
  assert.equal(ch.info.threads, 1);
});

test('very many heads, with wide values, take no memory for each', async () => {
  const heads = 8192;
  const valueDim = 512;
  const q = numbers(1, heads);
  const k = numbers(2, heads);
  const v = numbers(3, heads * valueDim);
  const options = { heads, headDim: 1, valueDim };
  const ch = await threaded({ variant: 'simd', threads: 2 });
  const before = pages(ch);
  sameBits(
    run(ch, { q, k, v, options }),
    run(one, { q, k, v, options }),
    'one key for each of 8192 heads',
  );
  assert.ok(pages(ch) - before < 2 ** 26, `${pages(ch) - before} bytes`);
  ch.dispose();
});

test('a long sequence with very many segments takes no memory for each span', async () => {
  const n = 2 ** 17;
  const heads = 16;
  const q = numbers(1, heads * 8);
  const k = numbers(2, n * 8);
  const v = numbers(3, n * 8);
  const spans = Array.from({ length: 1024 }, (_, x) => [x * 128, x * 128 + 100]);
  const call = { q, k, v, options: { heads, kvHeads: 1, headDim: 8 } };
  const ch = await threaded({ variant: 'simd', threads: 2 });
  const before = pages(ch);
  sameBits(run(ch, call, { spans, stats: true }), run(one, call, { spans, stats: true }), 'sums');
  assert.equal(ch.info.why, '');
  assert.ok(pages(ch) - before < 2 ** 26, `${pages(ch) - before} bytes`);
  ch.dispose();
});

test('errors, small calls and float64 work as ever beside threads', async () => {
  const ch = await threaded({ variant: 'simd', threads: 2 });
  const small = { q: numbers(1, 8), k: numbers(2, 8), v: numbers(3, 8), options: { headDim: 4 } };
  assert.throws(() => ch.attention(small.q, small.k, small.v, { headDim: 3 }), { code: 'SHAPE' });
  sameBits(run(ch, small), run(one, small), 'small');
  const call = calls[1];
  const wide = {
    ...call,
    q: Float64Array.from(call.q),
    k: Float64Array.from(call.k),
    v: Float64Array.from(call.v),
  };
  sameBits(run(ch, wide), run(one, wide), 'float64');
  const q = ch.tensor([call.q.length]);
  const out = ch.tensor([call.q.length]);
  q.data.set(call.q);
  ch.attention(q, call.k, call.v, { ...call.options, out });
  sameBits(
    { output: out.data.slice() },
    { output: run(one, call).output },
    'tensors in shared memory',
  );
  ch.dispose();
});
