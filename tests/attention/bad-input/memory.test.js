/**
 * Inputs whose memory goes away, shrinks, is shared or changes during the call.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { sameBits } from '../../support/bits.js';
import { engines } from '../../support/engines.js';
import { bench, good, shape, trapped } from '../../support/faults.js';

const { ch } = engines[0];
const { cache, refuses, leaksNothing, unchanged } = bench(ch);
const call = (change = {}, inputs = {}) => {
  const { q, k, v } = { ...good, ...inputs };
  return ch.attention(q, k, v, { ...shape, ...change });
};
const detached = (a) => {
  const b = a.slice();
  structuredClone(b, { transfer: [b.buffer] });
  return b;
};
const want = call();

test('detached arrays are refused', () => {
  for (const name of ['q', 'k', 'v'])
    refuses(`a detached ${name}`, 'DETACHED', name, () =>
      call({}, { [name]: detached(good[name]) }),
    );
  refuses('a detached out', 'DETACHED', 'out', () => call({ out: detached(want.output) }));
  for (const [name, a] of Object.entries({
    keyScale: new Float32Array(5),
    alibi: new Float32Array(4),
    sinks: new Float32Array(4),
    keyLengths: new Int32Array(2),
    offset: new Int32Array(2),
  }))
    refuses(`a detached ${name}`, 'DETACHED', name, () => call({ [name]: detached(a) }));
  refuses('a detached mask', 'DETACHED', 'mask', () =>
    call({ mask: { data: detached(new Uint8Array(15)), shape: [3, 5] } }),
  );
  refuses('a detached snapshot', 'DETACHED', 'snapshot', () =>
    cache.restore(detached(cache.snapshot())),
  );
  for (const name of ['k', 'v'])
    refuses(`a detached ${name} to append`, 'DETACHED', name, () =>
      cache.append(
        name === 'k' ? detached(new Float32Array(16)) : new Float32Array(16),
        name === 'v' ? detached(new Float32Array(12)) : new Float32Array(12),
      ),
    );
  const tensor = ch.tensor([192]);
  const old = tensor.data;
  ch.tensor([2 ** 20]).dispose(); // memory grows, the old view dies
  if (old.length === 0)
    refuses('a view of memory that has grown', 'DETACHED', 'q', () => call({}, { q: old }));
  tensor.dispose();
  leaksNothing('a detached q', () => call({}, { q: detached(good.q) }));
});

test('an array detached by a getter of the options is refused', () => {
  for (const name of ['q', 'k', 'v']) {
    const a = good[name].slice();
    refuses(`${name} detached in mid-call`, 'DETACHED', name, () =>
      call(
        {
          get causal() {
            structuredClone(a, { transfer: [a.buffer] });
            return false;
          },
        },
        { [name]: a },
      ),
    );
  }
  const out = want.output.slice();
  refuses('out detached in mid-call', 'DETACHED', 'out', () =>
    call({
      out,
      get temperature() {
        structuredClone(out, { transfer: [out.buffer] });
        return 1;
      },
    }),
  );
});

test('a getter among the elements of a list runs before anything is taken, and once', () => {
  for (const [name, list, later, options] of [
    ['window', [2, 0], -5, (list) => ({ window: list })],
    [
      'mask.shape',
      [3, 5],
      2 ** 30,
      (list) => ({ mask: { data: new Uint8Array(15).fill(1), shape: list } }),
    ],
    ['want.weights.heads', [3, 0], 9, (list) => ({ want: { weights: { heads: list } } })],
    ['want.weights.rows', [2, 1], 9, (list) => ({ want: { weights: { rows: list } } })],
  ]) {
    const made = [];
    const trap = trapped(list, () => made.push(ch.tensor([4096])), later);
    sameBits(call(options(trap)), call(options(list)), name);
    assert.equal(made.length, list.length, `${name}: each element is read once`);
    for (const tensor of made) tensor.data.fill(7);
    call({ window: [1, 1], want: { weights: true, stats: true } });
    for (const tensor of made.reverse()) {
      assert.ok(
        tensor.data.every((x) => x === 7),
        `${name}: what the getter made is its own`,
      );
      tensor.dispose();
    }
    unchanged(name);
  }
});

test('views of resizable buffers that shrank are refused', () => {
  const tracking = (a) => {
    const buffer = new ArrayBuffer(a.length * 4, { maxByteLength: a.length * 8 });
    const b = new Float32Array(buffer);
    b.set(a);
    return b;
  };
  sameBits(call({}, { q: tracking(good.q) }), want, 'a resizable buffer');
  for (const name of ['q', 'k', 'v']) {
    const follows = tracking(good[name]);
    const fixed = new Float32Array(follows.buffer, 0, good[name].length);
    follows.buffer.resize(4);
    refuses(`a shrunk ${name}`, 'SHAPE DETACHED', name, () => call({}, { [name]: follows }));
    refuses(`${name} behind its buffer`, 'SHAPE DETACHED', name, () => call({}, { [name]: fixed }));
  }
});

test('shared and growable memory works by copy', () => {
  const shared = (a, grow) => {
    const b = new Float32Array(
      grow
        ? new SharedArrayBuffer(a.length * 4, { maxByteLength: a.length * 8 })
        : new SharedArrayBuffer(a.length * 4),
    );
    b.set(a);
    return b;
  };
  for (const grow of [false, true]) {
    const out = shared(new Float32Array(want.output.length), grow);
    sameBits(
      {
        output: Float32Array.from(
          call(
            { out },
            { q: shared(good.q, grow), k: shared(good.k, grow), v: shared(good.v, grow) },
          ).output,
        ),
      },
      want,
      'shared',
    );
    refuses('out over a shared q', 'ALIAS', 'out', () => {
      const q = shared(good.q, grow);
      call({ out: new Float32Array(q.buffer, 4, want.output.length) }, { q });
    });
  }
});

/** Calls while another thread writes. */
const CALLS = 2000;

test('inputs that another thread changes during the call harm nothing', async () => {
  const q = new Float32Array(new SharedArrayBuffer(good.q.length * 4));
  const worker = new Worker(
    'const { workerData: a } = require("worker_threads"); for (let x = 0; ; x++) a[x % ' +
      'a.length] = x % 3 ? x : NaN;',
    { eval: true, workerData: q },
  );
  await new Promise((done) => worker.once('online', done));
  for (let calls = 0; calls < CALLS; calls++)
    assert.equal(
      call({ want: { weights: true, stats: true } }, { q }).output.length,
      want.output.length,
    );
  await worker.terminate();
  unchanged('after the race');
});
