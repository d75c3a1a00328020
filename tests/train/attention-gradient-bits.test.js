/** The bits of a gradient depend neither on threads, nor on the layout, nor on where things lie. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { init } from '../../src/js/index.js';
import { memories } from '../../src/js/engine/memory.js';
import { sameArray, sameBits } from '../support/bits.js';
import { engines } from '../support/models/engines.js';
import { random, swapLayout } from '../support/random.js';
import { randomGradient, wantsOf } from '../support/train/calls.js';

const CALLS = 60;
const [one] = engines;
const threaded = [];
for (const threads of [2, 3]) {
  const ch = await init({ variant: one.variant, threads, layers: true });
  assert.equal(ch.info.threads, threads, ch.info.why);
  /** @type {any} */ (memories.get(ch)).pool.worth = () => true; // small calls too
  threaded.push(ch);
}
after(() => threaded.forEach((ch) => ch.dispose()));

test(`two and three threads give the bits of one, in ${CALLS} random calls`, () => {
  for (let seed = 1; seed <= CALLS; seed++) {
    const Type = seed % 4 ? Float32Array : Float64Array;
    const { c, q, k, v, dOutput, options } = randomGradient(seed, Type);
    const all = { ...options, want: wantsOf(options) };
    const want = one.ch.attentionGradient(q, k, v, dOutput, all);
    for (const ch of threaded) {
      const got = ch.attentionGradient(q, k, v, dOutput, all);
      sameBits(got, want, c.name);
      assert.equal(got.dScale, want.dScale, c.name);
      assert.equal(got.dTemperature, want.dTemperature, c.name);
    }
  }
});

test('threads share a call that is large enough, and give the bits of one', async () => {
  const ch = await init({ variant: one.variant, threads: 2, layers: true });
  const { pool } = /** @type {any} */ (memories.get(ch));
  let shared = 0;
  const together = pool.together.bind(pool);
  pool.together = (...given) => {
    shared++;
    return together(...given);
  };
  const r = random(5);
  const [q, k, v, dOutput] = Array.from({ length: 4 }, () =>
    Float32Array.from({ length: 2 * 200 * 32 }, r.normal),
  );
  const options = { heads: 2, headDim: 32, causal: true };
  const got = ch.attentionGradient(q, k, v, dOutput, options);
  ch.dispose();
  sameBits(got, one.ch.attentionGradient(q, k, v, dOutput, options));
  assert.equal(shared, 1);
});

test('a call in which a thread was lost is done again', () => {
  const [ch] = threaded;
  const { pool } = /** @type {any} */ (memories.get(ch));
  const { q, k, v, dOutput, options } = randomGradient(7, Float32Array);
  const want = one.ch.attentionGradient(q, k, v, dOutput, options);
  let lost = 0;
  pool.together = (...given) => {
    delete pool.together; // that of the class works again
    lost++;
    pool.together(...given);
    return false;
  };
  sameBits(ch.attentionGradient(q, k, v, dOutput, options), want);
  assert.equal(lost, 1);
});

for (const { variant, ch } of engines) {
  test(`both layouts have the same bits: ${variant}`, () => {
    for (let seed = 100; seed < 100 + CALLS; seed++) {
      const first = randomGradient(seed, Float32Array, 'bhsd');
      const second = randomGradient(seed, Float32Array, 'bshd');
      const { batch, heads, kvHeads, m, n, d, dv } = first.c.shape;
      const dOutput = swapLayout(first.dOutput, batch, heads, m, dv);
      const want = ch.attentionGradient(first.q, first.k, first.v, first.dOutput, first.options);
      const got = ch.attentionGradient(second.q, second.k, second.v, dOutput, second.options);
      sameArray(got.dq, swapLayout(want.dq, batch, heads, m, d), first.c.name);
      sameArray(got.dk, swapLayout(want.dk, batch, kvHeads, n, d), first.c.name);
      sameArray(got.dv, swapLayout(want.dv, batch, kvHeads, n, dv), first.c.name);
    }
  });

  test(`output and lse that are given change no bit: ${variant}`, () => {
    for (let seed = 200; seed < 200 + CALLS; seed++) {
      const { c, q, k, v, dOutput, options } = randomGradient(seed, Float32Array);
      const { output, lse } = ch.attention(q, k, v, { ...options, want: { lse: true } });
      const want = ch.attentionGradient(q, k, v, dOutput, options);
      sameBits(ch.attentionGradient(q, k, v, dOutput, { ...options, output, lse }), want, c.name);
    }
  });

  test(`a kv head that heads share has the sum of the gradients of its copies: ${variant}`, () => {
    const r = random(9);
    const [m, n, d] = [70, 130, 16];
    const numbers = (size) => Float32Array.from({ length: size }, r.normal);
    const [q, dOutput, k, v] = [4 * m * d, 4 * m * d, n * d, n * d].map(numbers);
    const repeated = (x) => Float32Array.from([...x, ...x, ...x, ...x]);
    const shared = ch.attentionGradient(q, k, v, dOutput, { heads: 4, kvHeads: 1, headDim: d });
    const copies = [repeated(k), repeated(v)];
    const own = ch.attentionGradient(q, ...copies, dOutput, { heads: 4, headDim: d });
    sameArray(shared.dq, own.dq, 'dq');
    for (const name of ['dk', 'dv'])
      shared[name].forEach((x, at) => {
        const sum = [0, 1, 2, 3].reduce((total, h) => total + own[name][h * n * d + at], 0);
        assert.ok(Math.abs(x - sum) < 1e-5, `${name}[${at}] is ${x}, expected ${sum}`);
      });
  });

  test(`tensors are read where they lie, and results written where they are to: ${variant}`, () => {
    const { q, k, v, dOutput, options } = randomGradient(31, Float32Array);
    const tensorOf = (x) => {
      const tensor = ch.tensor([x.length]);
      tensor.data.set(x);
      return tensor;
    };
    const want = ch.attentionGradient(q, k, v, dOutput, options);
    const given = [q, k, v, dOutput].map(tensorOf);
    const out = { dq: tensorOf(q), dk: tensorOf(k), dv: new Float32Array(v.length) };
    const got = ch.attentionGradient(...given, { ...options, out });
    sameBits({ dq: got.dq.slice(), dk: got.dk.slice(), dv: got.dv.slice() }, want);
    assert.equal(got.dq.byteOffset, out.dq.data.byteOffset);
    assert.equal(got.dv, out.dv);
    [...given, out.dq, out.dk].forEach((tensor) => tensor.dispose());
  });
}
