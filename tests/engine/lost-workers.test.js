/** Nothing is lost when a thread is, wherever it was. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { sameBits } from '../support/bits.js';
import { repeats } from '../support/campaign.js';
import { watched } from '../support/looks.js';
import {
  calls,
  CALLS,
  nextTurn,
  numbers,
  one,
  pages,
  run,
  withFault,
} from '../support/engine/thread-calls.js';

/** The milliseconds of waiting that a lost worker may cost a call, and one of a whole layer. */
const COST = 2000;
const LAYER_COST = 3000;

/** Of how many threads one is lost, and in which call. A long run has more. */
const WITH_TWO = [[2, 0]];
const WITH_THREE = [[3, 5]];

const when = (fault) => (fault === 'asleep' ? fault : `${fault} its pieces`);
/** Until a worker that fell asleep has written its part. */
const awake = () => new Promise((done) => setTimeout(done, 1500));

/** The first calls, and their results with one thread. */
const first = calls
  .slice(0, 3)
  .map((call) => ({ call, want: run(one, call, { stats: true }), plain: run(one, call) }));

for (const fault of ['before', 'inside', 'after', 'asleep'])
  for (const [count, after] of repeats(WITH_TWO, [[3, 3], ...WITH_TWO]))
    test(`a worker lost ${when(fault)} in call ${after} of ${count} costs time`, async () => {
      const ch = await withFault(fault, after, count);
      const tensor = ch.tensor([5]);
      tensor.data.fill(3);
      const cache = ch.kvCache({ headDim: 4, capacity: 8 });
      cache.append(new Float32Array(8).fill(2), new Float32Array(8).fill(1));
      assert.equal(ch.info.threads, count);

      for (let x = 0; x < 6 || (ch.info.threads > 1 && x < CALLS); x++) {
        const { call, want } = first[x % 3];
        const { result, waited } = watched(() => run(ch, call, { stats: true }));
        sameBits(result, want, `call ${x}`);
        assert.ok(waited < COST, `call ${x} waited ${waited} ms`);
        await nextTurn();
      }

      assert.equal(ch.info.threads, 1);
      assert.match(ch.info.why, /worker/);
      if (fault === 'asleep') await awake();
      assert.deepEqual([...tensor.data], [3, 3, 3, 3, 3]);
      assert.deepEqual([...cache.read().k], Array(8).fill(2));
      const [{ call, plain }] = first;
      run(ch, call);
      const before = pages(ch);
      for (let x = 0; x < 20; x++) sameBits(run(ch, call), plain, 'afterwards');
      assert.equal(pages(ch), before, 'memory does not grow any more');
    });

/** Both layers over a cache, in calls of many steps each. */
function story(ch) {
  const modelDim = 256;
  const x = numbers(5, 120 * modelDim);
  const w = (seed, rows) => numbers(seed, rows * modelDim).map((y) => y / 16);
  const layer = ch.multiHead(
    { q: w(1, 256), k: w(2, 128), v: w(3, 128), o: w(4, 256) },
    { modelDim, heads: 8, kvHeads: 4, residual: true },
  );
  const latent = ch.latent(
    {
      q: w(6, 8 * 48),
      kvA: w(7, 144),
      kvB: numbers(8, 8 * 64 * 128).map((y) => y / 11),
      o: w(9, 256),
    },
    { modelDim, heads: 8, kvLatent: 128, nopeDim: 32, ropeDim: 16, valueDim: 32 },
  );
  const cache = ch.kvCache({ kvHeads: 4, headDim: 32, capacity: 120 });
  const latents = latent.cache({ capacity: 120 });
  return {
    /** @param {number} from @param {number} to positions */
    tell: (from, to) => {
      const part = x.slice(from * modelDim, to * modelDim);
      const options = { causal: true, want: { stats: true } };
      return {
        a: layer.forward(part, { ...options, cache }),
        b: latent.forward(part, { ...options, cache: latents }),
        k: cache.read().k,
        c: latents.read(),
      };
    },
    forget: () => [cache, latents].forEach((each) => each.truncate(0)),
  };
}

for (const fault of ['before', 'inside', 'after', 'asleep'])
  for (const [count, after] of repeats(WITH_THREE, [[2, 0], ...WITH_THREE]))
    test(`a worker lost ${when(fault)} in layer ${after} of ${count} costs time`, async () => {
      const ch = await withFault(fault, after, count);
      const lines = story(ch);
      const plain = story(one);

      for (let x = 0; x < 6 || (ch.info.threads > 1 && x < CALLS); x++) {
        for (const [from, to] of [
          [0, 50],
          [50, 119],
          [119, 120],
        ]) {
          const { result, waited } = watched(() => lines.tell(from, to));
          sameBits(result, plain.tell(from, to), `${from} to ${to}`);
          assert.ok(waited < LAYER_COST, `${from} to ${to} waited ${waited} ms`);
        }
        for (const each of [lines, plain]) each.forget();
        await nextTurn();
      }

      assert.equal(ch.info.threads, 1);
      assert.match(ch.info.why, /worker/);
      if (fault === 'asleep') await awake();
      sameBits(lines.tell(0, 120), plain.tell(0, 120), 'afterwards');
    });

for (const [what, fault, words] of [
  ['fails to start', 'start', /refused|ended/],
  ['never answers', 'silent', /did not answer within 5000 ms/],
])
  test(`a worker that ${what} leaves one thread, which says why`, async () => {
    const ch = await withFault(fault);
    assert.equal(ch.info.threads, 1);
    assert.match(ch.info.why, words);
    sameBits(run(ch, calls[0]), run(one, calls[0]), 'one thread');
  });

test('a worker that ends between calls is missed before the next', async () => {
  const ch = await withFault('idle', Infinity);
  assert.equal(ch.info.threads, 2);
  for (let x = 0; x < 100 && ch.info.threads > 1; x++)
    await new Promise((done) => setTimeout(done, 20));
  assert.deepEqual([ch.info.threads, ch.info.why], [1, 'a worker ended']);
  sameBits(run(ch, calls[0]), run(one, calls[0]), 'one thread');
});

test('an error inside a layer loses no worker and no memory', async () => {
  const ch = await init({ layers: true, variant: 'simd', threads: 2 });
  const w = new Float32Array(1024 * 512);
  const at = () => {
    const tensor = ch.tensor([1]);
    const { byteOffset } = tensor.data;
    tensor.dispose();
    return byteOffset;
  };
  const layer = ch.multiHead(
    { q: w, k: w, v: w, o: w },
    { modelDim: 1, heads: 1024, headDim: 512, outputs: 1 },
  );
  const before = at();
  for (let x = 0; x < 2; x++)
    assert.throws(() => layer.forward(new Float32Array(1000)), {
      name: 'ClearheadError',
      code: 'LIMIT',
    });
  assert.deepEqual([ch.info.threads, ch.info.why, at()], [2, '', before]);
  ch.dispose();
});

test('a worker that ends between calls keeps no memory', async () => {
  const ch = await withFault('idle', Infinity);
  const tensor = ch.tensor([2 ** 20]);
  const where = () => {
    const other = ch.tensor([8]);
    const { byteOffset } = other.data;
    other.dispose();
    return byteOffset;
  };
  for (let x = 0; x < 100 && ch.info.threads > 1; x++)
    await new Promise((done) => setTimeout(done, 20));
  assert.equal(ch.info.threads, 1);
  const { byteOffset } = tensor.data;
  tensor.dispose();
  run(ch, calls[0]);
  assert.equal(where(), byteOffset);
});

test('with one of two workers missing, two threads remain', async () => {
  const ch = await withFault('start', 0, 3);
  assert.equal(ch.info.threads, 2);
  sameBits(run(ch, calls[1]), run(one, calls[1]), 'two threads');
  ch.dispose();
});
