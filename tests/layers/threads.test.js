/** Threads give both attention layers the bits of one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { sameBits } from '../support/bits.js';
import { engines } from '../support/models/engines.js';
import { random } from '../support/random.js';
import { matrix, numbers, vector } from '../support/layers/random-layers.js';

/** Layers large enough to be shared out. */
function large(ch) {
  const r = random(77);
  const modelDim = 256;
  const x = numbers(r, 150 * modelDim);
  const table = ch.ropeTable({ dim: 32, positions: 200 });
  const w = {
    q: matrix(r, 256, 256),
    k: matrix(r, 128, 256),
    v: matrix(r, 128, 256),
    o: matrix(r, 256, 256),
    qNorm: vector(r, 32),
    kNorm: vector(r, 32),
  };
  const threaded = ch.multiHead(w, { modelDim, heads: 8, kvHeads: 4, rope: table, residual: true });
  const u = {
    qA: matrix(r, 96, 256),
    qB: matrix(r, 8 * 64, 96),
    kvA: matrix(r, 160, 256),
    kvB: matrix(r, 8 * 64, 128),
    kvANorm: vector(r, 128),
    o: matrix(r, 256, 256),
  };
  const latent = ch.latent(u, {
    modelDim,
    heads: 8,
    kvLatent: 128,
    queryLatent: 96,
    nopeDim: 32,
    ropeDim: 32,
    valueDim: 32,
    rope: table,
    residual: true,
  });
  const want = { lse: true, stats: true };
  const options = { causal: true, want };
  return function* () {
    const r = random(78); // the same for every call
    yield threaded.forward(x, options);
    yield latent.forward(x, options);
    yield latent.forward(x, { ...options, form: 'absorbed' });
    const cache = ch.kvCache({ kvHeads: 4, headDim: 32, capacity: 200 });
    const latents = latent.cache({ capacity: 200 });
    for (const [from, to] of [
      [0, 100],
      [100, 101],
      [101, 150],
    ]) {
      yield threaded.forward(x.slice(from * modelDim, to * modelDim), { ...options, cache });
      yield latent.forward(x.slice(from * modelDim, to * modelDim), { ...options, cache: latents });
    }
    yield { k: cache.read().k, latents: latents.read() };
    cache.dispose();
    latents.dispose();
    // one query over many keys, whose spans are shared out
    const deep = ch.kvCache({ kvHeads: 4, headDim: 32, capacity: 9001 });
    const deepLatents = latent.cache({ capacity: 2001 });
    const row = x.slice(0, modelDim);
    const positions = Int32Array.of(7);
    deep.append(numbers(r, 4 * 9000 * 32), numbers(r, 4 * 9000 * 32));
    for (let at = 0; at < 2000; at += 100)
      latent.forward(x.slice(0, 100 * modelDim), {
        cache: deepLatents,
        window: [20, 0],
        positions: Int32Array.from({ length: 100 }, (_, i) => i),
      });
    yield threaded.forward(row, { ...options, cache: deep, positions });
    yield latent.forward(row, { ...options, cache: deepLatents, positions });
    deep.dispose();
    deepLatents.dispose();
  };
}

for (const { variant, ch } of engines)
  test(`threads give both layers the bits of one (${variant})`, async () => {
    const want = [...large(ch)()];
    for (const threads of [2, 3]) {
      const threaded = await init({ layers: true, variant, threads });
      const run = large(threaded);
      for (let times = 0; times < 2; times++)
        [...run()].forEach((result, at) =>
          sameBits(result, want[at], `${threads} threads, call ${at}`),
        );
      assert.equal(threaded.info.threads, threads, threaded.info.why);
      threaded.dispose();
      [...run()].forEach((result, at) => sameBits(result, want[at], `after dispose, call ${at}`));
    }
  });
