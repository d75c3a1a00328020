/** Threads: the same bits as one, and nothing lost when a thread is, wherever it was. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { lostWorkers } from '../engines/lost-workers.js';
import { watched } from '../support/looks.js';
import { random } from '../support/random.js';

const numbers = (seed, length) => {
  const r = random(seed);
  return Float32Array.from({ length }, () => r.normal());
};

/**
 * Calls large enough to be shared out, prefill and decode, with options that change the path
 * through the kernels.
 */
const calls = [
  ['12 heads', { heads: 12, headDim: 64 }, 300, 300],
  ['causal, grouped', { heads: 9, kvHeads: 3, headDim: 64, causal: true }, 400, 400],
  [
    'a window over several spans',
    { heads: 2, headDim: 32, causal: true, window: [200, 0] },
    1300,
    1300,
  ],
  ['one head', { heads: 1, headDim: 64 }, 600, 600],
  [
    'positions first, odd sizes',
    { heads: 6, kvHeads: 2, headDim: 33, valueDim: 21, layout: 'bshd' },
    250,
    700,
  ],
  ['few queries over many keys', { heads: 8, kvHeads: 2, headDim: 64 }, 3, 5000],
  [
    'one query, softcap and sinks',
    { heads: 4, kvHeads: 4, headDim: 64, softcap: 5, sinks: Float32Array.of(0, 1, -2, 3) },
    1,
    20000,
  ],
  ['in integers', { heads: 6, kvHeads: 3, headDim: 64, causal: true, precision: 'int8' }, 700, 700],
  ['in integers, few queries', { heads: 4, kvHeads: 2, headDim: 40, precision: 'int8' }, 2, 4000],
  [
    'a mask that empties rows',
    {
      heads: 4,
      headDim: 32,
      mask: {
        data: Uint8Array.from({ length: 500 * 300 }, (_, x) => +((x / 300) % 7 > 1 && x % 5 > 0)),
        shape: [500, 300],
      },
    },
    500,
    300,
  ],
  [
    'few queries, most keys beyond their length',
    { heads: 6, kvHeads: 2, headDim: 4, keyLengths: Int32Array.of(1) },
    2,
    200000,
  ],
  [
    'one query at the beginning of many keys',
    { heads: 4, headDim: 4, causal: true, offset: 0 },
    1,
    300000,
  ],
  [
    'one query and a window far from the last key',
    { heads: 4, headDim: 4, causal: true, offset: 100000, window: [40, 0] },
    1,
    300000,
  ],
].map(([name, options, m, n], seed) => {
  const { heads, kvHeads = heads, headDim, valueDim = headDim } = options;
  return {
    name,
    options,
    q: numbers(seed, heads * m * headDim),
    k: numbers(seed + 100, kvHeads * n * headDim),
    v: numbers(seed + 200, kvHeads * n * valueDim),
  };
});
const wants = [
  {},
  { lse: true, stats: true },
  { weights: { rows: [0] }, scores: 'masked', stats: true },
];
const run = (ch, { q, k, v, options }, want = {}) => ch.attention(q, k, v, { ...options, want });

for (const { variant, ch } of engines)
  for (const count of [2, 3, 5])
    test(`${count} threads give the bits of one (${variant})`, async () => {
      const many = await init({ variant, threads: count });
      assert.deepEqual({ ...many.info }, { variant, threads: count, simd: true, why: '' });
      for (const call of calls)
        for (const want of wants) sameBits(run(many, call, want), run(ch, call, want), call.name);
      const [call] = calls;
      const { output } = run(ch, call);
      for (const out of [many.tensor([output.length]), new Float32Array(output.length)])
        for (const result of [
          many.attention(call.q, call.k, call.v, { ...call.options, out }).output,
          out.data ?? out,
        ])
          sameBits({ result }, { result: output }, 'into an output of the caller');
      const cache = { kvHeads: 3, headDim: 64, capacity: 6000 };
      const a = ch.kvCache(cache);
      const b = many.kvCache(cache);
      for (const c of [a, b]) c.append(numbers(1, 3 * 5000 * 64), numbers(2, 3 * 5000 * 64));
      for (const m of [1, 2, 5, 200]) {
        const q = numbers(m, 9 * m * 64);
        const options = { heads: 9, causal: true, want: { stats: true, lse: true } };
        sameBits(many.attend(q, b, options), ch.attend(q, a, options), `decode of ${m}`);
      }
      many.dispose();
      assert.equal(many.info.threads, 1);
      sameBits(run(many, calls[0]), run(ch, calls[0]), 'after dispose');
    });

/** An engine whose first worker has this fault from its call number `after` on. */
const withFault = (fault, after = 0, count = 2) =>
  lostWorkers(fault, after, () => init({ layers: true, variant: 'simd', threads: count }));

/** Calls within which a worker takes part: one that comes late, on a busy machine, does not. */
const CALLS = 1000;
/** The milliseconds of waiting that a lost worker may cost a call, and one of a whole layer. */
const COST = 2000;
const LAYER_COST = 3000;
const nextTurn = () => new Promise((done) => setTimeout(done, 5));

const one = await init({ layers: true, variant: 'simd' });
const pages = (ch) => ch.tensor([1]).data.buffer.byteLength;
const when = (fault) => (fault === 'asleep' ? fault : `${fault} its pieces`);
/** Until a worker that fell asleep has written its part. */
const awake = () => new Promise((done) => setTimeout(done, 1500));

for (const fault of ['before', 'inside', 'after', 'asleep'])
  for (const [count, after] of [
    [2, 0],
    [3, 3],
  ])
    test(`a worker lost ${when(fault)} in call ${after} of ${count} costs time`, async () => {
      const ch = await withFault(fault, after, count);
      const tensor = ch.tensor([5]);
      tensor.data.fill(3);
      const cache = ch.kvCache({ headDim: 4, capacity: 8 });
      cache.append(new Float32Array(8).fill(2), new Float32Array(8).fill(1));
      assert.equal(ch.info.threads, count);

      for (let x = 0; x < 6 || (ch.info.threads > 1 && x < CALLS); x++) {
        const call = calls[x % 3];
        const { result, waited } = watched(() => run(ch, call, { stats: true }));
        sameBits(result, run(one, call, { stats: true }), `call ${x}`);
        assert.ok(waited < COST, `call ${x} waited ${waited} ms`);
        await nextTurn();
      }

      assert.equal(ch.info.threads, 1);
      assert.match(ch.info.why, /worker/);
      if (fault === 'asleep') await awake();
      assert.deepEqual([...tensor.data], [3, 3, 3, 3, 3]);
      assert.deepEqual([...cache.read().k], Array(8).fill(2));
      run(ch, calls[0]);
      const before = pages(ch);
      for (let x = 0; x < 20; x++) sameBits(run(ch, calls[0]), run(one, calls[0]), 'afterwards');
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
  for (const [count, after] of [
    [2, 0],
    [3, 5],
  ])
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
  ['never answers', 'silent', /did not answer within 1500 ms/],
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
  const ch = await init({ variant: 'simd', threads: 2 });
  const before = pages(ch);
  sameBits(
    run(ch, { q, k, v, options }),
    run(one, { q, k, v, options }),
    'one key for each of 8192 heads',
  );
  assert.ok(pages(ch) - before < 2 ** 26, `${pages(ch) - before} bytes`);
  ch.dispose();
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

test('a shared file without layers, where they are asked for, starts no worker', async (t) => {
  const { Worker } = await import('node:worker_threads');
  const started = t.mock.method(Worker.prototype, 'postMessage');
  await assert.rejects(
    init({
      layers: true,
      threads: 2,
      wasm: new URL('../../src/js/engine/attn.simd.shared.wasm', import.meta.url),
    }),
    { name: 'ClearheadError' },
  );
  assert.equal(started.mock.callCount(), 0);
});

test('with one of two workers missing, two threads remain', async () => {
  const ch = await withFault('start', 0, 3);
  assert.equal(ch.info.threads, 2);
  sameBits(run(ch, calls[1]), run(one, calls[1]), 'two threads');
  ch.dispose();
});

test('without isolation, shared memory or its wasm file there is one thread, and why', async () => {
  const { SharedArrayBuffer } = globalThis;
  const shared = new URL('../../src/js/engine/attn.simd.shared.wasm', import.meta.url);
  const plain = new URL('../../src/js/engine/attn.simd.wasm', import.meta.url);
  for (const [break_, mend, words] of [
    [
      () => (globalThis.crossOriginIsolated = false),
      () => delete globalThis.crossOriginIsolated,
      /isolated/,
    ],
    [
      () => delete globalThis.SharedArrayBuffer,
      () => (globalThis.SharedArrayBuffer = SharedArrayBuffer),
      /isolated/,
    ],
  ]) {
    break_();
    try {
      // a shared file that is given is taken, with its memory
      for (const wasm of [undefined, plain, shared]) {
        const ch = await init({ wasm, variant: 'simd', threads: 2 });
        assert.equal(ch.info.threads, 1);
        assert.match(ch.info.why, /^one thread: /);
        assert.match(ch.info.why, words);
        sameBits(run(ch, calls[0]), run(one, calls[0]), `one thread, ${wasm}`);
        ch.dispose();
      }
    } finally {
      mend();
    }
  }
  const lost = await lostWorkers('start', 0, () => init({ wasm: shared, threads: 2 }));
  assert.equal(lost.info.threads, 1);
  assert.match(lost.info.why, /^one thread: no worker started: /);
  sameBits(run(lost, calls[0]), run(one, calls[0]), 'a shared file without its worker');
  const ch = await init({ wasm: plain, threads: 2 });
  assert.equal(ch.info.threads, 1);
  assert.match(ch.info.why, /shared/);
});

/** The address of the package, for programs of their own. */
const entry = JSON.stringify(new URL('../../src/js/index.js', import.meta.url).href);

test('threads that have nothing to do sleep', () => {
  // by itself, for other tests leave engines behind
  const program = `import { init } from ${entry};
    const ch = await init({ threads: 3, variant: 'simd' }), x = ch.tensor([12 * 300 * 64]);
    for (let times = 0; times < 20; times++) ch.attention(x, x, x, { heads: 12, headDim: 64 });
    await new Promise((done) => setTimeout(done, 200));
    const before = process.cpuUsage();
    await new Promise((done) => setTimeout(done, 1000));
    const { user, system } = process.cpuUsage(before);
    console.log(ch.info.threads, (user + system) / 1000);`;
  const [threads, milliseconds] = execFileSync(
    process.execPath,
    ['--input-type=module', '-e', program],
    { encoding: 'utf8', env: { ...process.env, FORCE_COLOR: '0' } },
  )
    .split(' ')
    .map(Number);
  assert.equal(threads, 3);
  assert.ok(milliseconds < 300, `${milliseconds} ms of a second`);
});

test('a program with threads ends when it has nothing left to do', () => {
  const code = `import { init } from ${entry};
    const { threads, why } = (await init({ threads: 2, variant: 'simd' })).info;
    console.log(threads, why);`;
  assert.equal(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
      timeout: 8000,
    }),
    '2 \n',
  );
});

test('a file that fails to arrive is an error of init and of nothing else', () => {
  const program = `import { init } from ${entry};
    for (const layers of [false, true])
      await init({ layers, wasm: Promise.reject(new Error('gone')) })
        .catch(({ message }) => console.log(message));`;
  assert.equal(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '0' },
    }),
    'gone\ngone\n',
  );
});

test('errors, small calls and float64 work as ever beside threads', async () => {
  const ch = await init({ variant: 'simd', threads: 2 });
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
