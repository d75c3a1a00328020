/** The latent layer against float64, both of its forms against each other, and its cache. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { engines } from '../support/models/engines.js';
import { random } from '../support/random.js';
import { frequencies } from '../support/layers/operations-textbook.js';
import { latent } from '../support/layers/textbook.js';
import {
  EPS,
  matrix,
  near,
  numbers,
  randomLatent,
  tableFor,
} from '../support/layers/random-layers.js';

for (const { variant, ch } of engines) {
  test(`the latent layer is that of float64, in both forms (${variant})`, (t) => {
    let max = 0;
    for (let seed = 500; seed < 650; seed++) {
      const c = randomLatent(seed);
      const layer = ch.latent(c.w, { ...c.config, rope: tableFor(ch, c) });
      const { y } = latent(c.x, c.w, {
        ...c.config,
        epsilon: 1e-6,
        interleaved: c.interleaved,
        f: c.turned && frequencies(c.config.ropeDim, 10000),
      });
      for (const form of ['expanded', 'absorbed'])
        max = Math.max(
          max,
          near(layer.forward(c.x, { causal: true, form }).output, y, `seed ${seed}, ${form}`),
        );
      layer.dispose();
    }
    t.diagnostic(`worst ${max.toFixed(1)} units of the largest result`);
  });

  test(`the absorbed form is the expanded one, within the error rule (${variant})`, (t) => {
    let max = 0;
    let different = 0;
    let total = 0;
    for (let seed = 700; seed < 850; seed++) {
      const c = randomLatent(seed);
      const { heads, valueDim } = c.config;
      const size = heads * valueDim;
      // W_O = 1: the heads themselves, before anything mixes them
      const o = Float32Array.from({ length: size * size }, (_, at) =>
        Number(at % (size + 1) === 0),
      );
      const layer = ch.latent({ ...c.w, o }, { ...c.config, outputs: size, rope: tableFor(ch, c) });
      const rule = latent(
        c.x,
        { ...c.w, o },
        {
          ...c.config,
          epsilon: 1e-6,
          interleaved: c.interleaved,
          f: c.turned && frequencies(c.config.ropeDim, 10000),
        },
      );
      const [a, b] = ['expanded', 'absorbed'].map((form) =>
        layer.forward(c.x, { causal: true, form, want: { weights: true, stats: true, lse: true } }),
      );
      a.output.forEach((x, at) => {
        const allowed = EPS * rule.size[at] * (4 + 2 * rule.A[Math.floor(at / valueDim)]);
        max = Math.max(max, Math.abs(x - b.output[at]) / allowed);
        different += x !== b.output[at];
        total++;
      });
      assert.equal(a.weights.length, b.weights.length);
      assert.deepEqual(a.stats.n, b.stats.n);
      layer.dispose();
    }
    assert.ok(max <= 1, `${max} of the rule`);
    assert.ok(different > total / 4, 'the two forms are computed in two ways');
    t.diagnostic(`${different} of ${total} differ, by at most ${max.toFixed(3)} of the rule`);
  });

  test(`a latent cache gives a row the same bits in chunks and in steps (${variant})`, () => {
    for (let seed = 900; seed < 930; seed++) {
      const c = randomLatent(seed);
      const { modelDim, kvLatent, ropeDim } = c.config;
      const layer = ch.latent(c.w, {
        ...c.config,
        rope: tableFor(ch, c),
        residual: c.r.chance(0.5),
      });
      for (const form of ['expanded', 'absorbed']) {
        const whole = layer.forward(c.x, { causal: true, form }).output;
        const cache = layer.cache({ capacity: 10 });
        assert.equal(cache.bytes, 10 * layer.bytesPerPosition.latent);
        const part = (a, from, to) => a.slice(from * modelDim, to * modelDim);
        for (let from = 0; from < c.m;) {
          const to = Math.min(c.m, from + c.r.integer(1, 3));
          sameArray(
            layer.forward(part(c.x, from, to), { causal: true, form, cache }).output,
            part(whole, from, to),
            `seed ${seed}, ${form}, ${from} to ${to}`,
          );
          from = to;
        }
        const kept = cache.read();
        assert.equal(kept.length, c.m * (kvLatent + ropeDim));
        cache.truncate(c.m - 1);
        layer.forward(part(c.x, c.m - 1, c.m), { cache });
        sameArray(cache.read(), kept, 'a position that was taken back and given again');
        const both = layer.forward(Float32Array.from([...numbers(c.r, c.x.length), ...c.x]), {
          causal: true,
          form,
          batch: 2,
        }).output;
        sameArray(both.slice(c.x.length), whole, 'in a batch');
        cache.dispose();
      }
      layer.dispose();
    }
  });
}

test('a latent cache is as small as DeepSeek-V2 says: 576 numbers instead of 40960', () => {
  const [{ ch }] = engines;
  const r = random(5);
  const config = {
    modelDim: 8,
    heads: 128,
    kvLatent: 512,
    nopeDim: 128,
    ropeDim: 64,
    valueDim: 128,
    outputs: 1,
  };
  const layer = ch.latent(
    {
      q: matrix(r, 128 * 192, 8),
      kvA: matrix(r, 576, 8),
      kvB: new Float32Array(128 * 256 * 512),
      o: matrix(r, 1, 128 * 128),
    },
    config,
  );
  assert.deepEqual(
    { ...layer.bytesPerPosition },
    { latent: 4 * 576, multiHead: 4 * 128 * (192 + 128), multiQuery: 4 * 320 },
  );
  assert.ok(layer.forward(new Float32Array(8), { form: 'absorbed' }).output[0] === 0);
  layer.dispose();
});
