/**
 * The two attention layers against float64, and against each other: heads alone, decoding, batches,
 * threads, both latent forms.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { sameArray, sameBits } from '../support/bits.js';
import { engines } from '../support/models/engines.js';
import { random } from '../support/random.js';
import {
  frequencies,
  latent,
  latentSized,
  linear,
  multiHead,
  multiHeadSized,
} from '../support/layers/textbook.js';

const EPS = 2 ** -23;
const numbers = (r, length, scale = 1) => Float32Array.from({ length }, () => scale * r.normal());

/** Weights of a size that keeps activations near 1, as trained layers have them. */
const matrix = (r, rows, columns) => numbers(r, rows * columns, 1 / Math.sqrt(columns));
const vector = (r, size) => numbers(r, size, 0.2).map((x) => 1 + x);

function randomMultiHead(seed) {
  const r = random(seed);
  const kvHeads = r.integer(1, 3);
  const heads = kvHeads * r.integer(1, 3);
  const headDim = r.pick([2, 4, 7, 8, 16]);
  const valueDim = r.chance(0.3) ? r.integer(1, 12) : headDim;
  const modelDim = r.integer(1, 40);
  const dim = 2 * r.integer(1, Math.floor(headDim / 2));
  const interleaved = r.chance(0.5);
  const w = {
    q: matrix(r, heads * headDim, modelDim),
    k: matrix(r, kvHeads * headDim, modelDim),
    v: matrix(r, kvHeads * valueDim, modelDim),
    o: matrix(r, modelDim, heads * valueDim),
  };
  if (r.chance(0.5))
    Object.assign(w, {
      qBias: numbers(r, heads * headDim),
      kBias: numbers(r, kvHeads * headDim),
      vBias: numbers(r, kvHeads * valueDim),
    });
  if (r.chance(0.3)) w.oBias = numbers(r, modelDim);
  if (r.chance(0.5)) Object.assign(w, { qNorm: vector(r, headDim), kNorm: vector(r, headDim) });
  const config = { modelDim, heads, kvHeads, headDim, valueDim, residual: r.chance(0.5) };
  const m = r.integer(1, 12);
  return {
    r,
    w,
    config,
    turned: r.chance(0.7) && { dim, interleaved },
    m,
    x: numbers(r, m * modelDim),
  };
}

/**
 * Errors relative to the largest result: five products in a row, two norms and attention, each of
 * which adds about two units.
 */
const UNITS = 16;
function near(got, want, name) {
  const most = Math.max(...want.map(Math.abs));
  assert.equal(got.length, want.length);
  let worst = 0;
  want.forEach((x, i) => (worst = Math.max(worst, Math.abs(got[i] - x) / (EPS * most))));
  assert.ok(worst <= UNITS, `${name}: ${worst} units of the largest result`);
  return worst;
}

/**
 * Units in the last place of the sizes that textbook.js adds up. A number is rounded about ten
 * times on its way, by half a unit of its size or less, some up and some down; the logits' sizes
 * count two of theirs, a query's and a key's. Measured: up to 0.55 of the rule.
 */
const PLAIN = 3;
const STEEP = 1.5;

for (const { variant, ch } of engines) {
  test(`the multi-head layer is that of float64, with all its options (${variant})`, (t) => {
    let most = 0;
    for (let seed = 0; seed < 150; seed++) {
      const { w, config, turned, x } = randomMultiHead(seed);
      const layer = ch.multiHead(w, {
        ...config,
        rope: turned ? ch.ropeTable({ ...turned, positions: 12 }) : undefined,
      });
      const want = multiHead(x, w, {
        ...config,
        epsilon: 1e-6,
        f: turned && frequencies(turned.dim, 10000),
        interleaved: turned.interleaved,
      });
      most = Math.max(most, near(layer.forward(x, { causal: true }).output, want, `seed ${seed}`));
      layer.dispose();
    }
    t.diagnostic(`worst ${most.toFixed(1)} units of the largest result`);
  });

  test(`the layer is its parts, bit for bit (${variant})`, () => {
    for (let seed = 200; seed < 230; seed++) {
      const { w, config, turned, x } = randomMultiHead(seed);
      const { modelDim, heads, kvHeads, headDim, valueDim, residual } = config;
      const rope = turned ? ch.ropeTable({ ...turned, positions: 12 }) : undefined;
      const project = (name, columns, input = x) =>
        ch.linear(w[name], { inputs: columns, bias: w[`${name}Bias`] }).forward(input);
      let q = project('q', modelDim);
      let k = project('k', modelDim);
      if (w.qNorm)
        [q, k] = [
          ch.rmsNorm(q, w.qNorm, { epsilon: 1e-6 }),
          ch.rmsNorm(k, w.kNorm, { epsilon: 1e-6 }),
        ];
      if (rope)
        [q, k] = [
          ch.rope(q, rope, { headDim, heads, layout: 'bshd' }),
          ch.rope(k, rope, { headDim, heads: kvHeads, layout: 'bshd' }),
        ];
      const options = { causal: true, want: { weights: true, lse: true, stats: true } };
      const inner = ch.attention(q, k, project('v', modelDim), {
        heads,
        kvHeads,
        headDim,
        valueDim,
        layout: 'bshd',
        ...options,
      });
      const output = project('o', heads * valueDim, inner.output).map((y, at) =>
        residual ? y + x[at] : y,
      );
      sameBits(
        ch.multiHead(w, { ...config, rope }).forward(x, options),
        { ...inner, output },
        `seed ${seed}`,
      );
    }
  });

  test(`H heads are H independent programs, and the output is linear in them (${variant})`, () => {
    for (let seed = 300; seed < 320; seed++) {
      const { w, config, turned, x } = randomMultiHead(seed);
      const { modelDim, heads, kvHeads, headDim, valueDim } = config;
      const rope = turned ? ch.ropeTable({ ...turned, positions: 12 }) : undefined;
      const group = heads / kvHeads;
      // W_O = 1, so that the output is that of each head, side by side
      const identity = (size) =>
        Float32Array.from({ length: size * size }, (_, at) => Number(at % (size + 1) === 0));
      const inside = { ...w, o: identity(heads * valueDim), oBias: undefined };
      const open = { ...config, rope, residual: false };
      const whole = ch
        .multiHead(inside, { ...open, outputs: heads * valueDim })
        .forward(x, { causal: true }).output;
      const cut = (a, head, size) => a?.slice(head * size, (head + 1) * size);
      for (let h = 0; h < heads; h++) {
        const g = Math.floor(h / group);
        const row = (name, head, size) => ({
          [name]: cut(w[name], head, size * modelDim),
          [`${name}Bias`]: cut(w[`${name}Bias`], head, size),
        });
        const alone = {
          ...row('q', h, headDim),
          ...row('k', g, headDim),
          ...row('v', g, valueDim),
          o: identity(valueDim),
          qNorm: w.qNorm,
          kNorm: w.kNorm,
        };
        const { output } = ch
          .multiHead(alone, { ...open, heads: 1, kvHeads: 1, headDim, outputs: valueDim })
          .forward(x, { causal: true });
        sameArray(
          output,
          Float32Array.from(
            output,
            (_, at) =>
              whole[Math.floor(at / valueDim) * heads * valueDim + h * valueDim + (at % valueDim)],
          ),
          `seed ${seed}, head ${h}`,
        );
      }
      const { y, size } = linear(whole, w.o, heads * valueDim);
      const mixed = ch
        .multiHead({ ...w, oBias: undefined }, open)
        .forward(x, { causal: true }).output;
      mixed.forEach((z, at) => assert.ok(Math.abs(z - y[at]) <= (EPS / 2) * 40 * size[at]));
    }
  });

  test(`a row has the same bits in a prompt, chunks, steps and batches (${variant})`, () => {
    for (let seed = 400; seed < 430; seed++) {
      const { r, w, config, turned, m, x } = randomMultiHead(seed);
      const { modelDim, kvHeads, headDim, valueDim } = config;
      const layer = ch.multiHead(w, {
        ...config,
        rope: turned ? ch.ropeTable({ ...turned, positions: 12 }) : undefined,
      });
      const options = { causal: true, window: r.chance(0.3) ? [3, 0] : undefined };
      const whole = layer.forward(x, options).output;
      const cache = ch.kvCache({ kvHeads, headDim, valueDim, capacity: 12 });
      const part = (a, from, to) => a.slice(from * modelDim, to * modelDim);
      for (let from = 0; from < m;) {
        const to = Math.min(m, from + r.integer(1, 3));
        sameArray(
          layer.forward(part(x, from, to), { ...options, cache }).output,
          part(whole, from, to),
          `seed ${seed}, ${from} to ${to}`,
        );
        from = to;
      }
      assert.equal(cache.length, m);
      const other = numbers(r, x.length);
      const both = Float32Array.from([...x, ...other]);
      const positions = Int32Array.from({ length: 2 * m }, (_, at) => at % m);
      const batch = layer.forward(both, {
        ...options,
        batch: 2,
        positions: turned ? positions : undefined,
      }).output;
      sameArray(batch.slice(0, x.length), whole, 'first of a batch');
      sameArray(batch.slice(x.length), layer.forward(other, options).output, 'second of a batch');
      const X = ch.tensor([m, modelDim]);
      const out = ch.tensor([m, modelDim]);
      X.data.set(x);
      layer.forward(X, { ...options, out });
      sameArray(out.data.slice(), whole, 'tensors');
      for (const held of [layer, cache, X, out]) held.dispose();
    }
  });
}

function randomLatent(seed) {
  const r = random(seed);
  const heads = r.integer(1, 4);
  const kvLatent = r.integer(1, 40);
  const queryLatent = r.chance(0.6) ? r.integer(1, 20) : 0;
  const nopeDim = r.integer(1, 20);
  const ropeDim = 2 * r.integer(0, 5);
  const valueDim = r.integer(1, 20);
  const modelDim = r.integer(1, 40);
  const m = r.integer(1, 10);
  const w = {
    kvA: matrix(r, kvLatent + ropeDim, modelDim),
    kvB: matrix(r, heads * (nopeDim + valueDim), kvLatent),
    o: matrix(r, modelDim, heads * valueDim),
  };
  if (r.chance(0.7)) w.kvANorm = vector(r, kvLatent);
  w[queryLatent ? 'qB' : 'q'] = matrix(r, heads * (nopeDim + ropeDim), queryLatent || modelDim);
  if (queryLatent) w.qA = matrix(r, queryLatent, modelDim);
  if (queryLatent && r.chance(0.7)) w.qANorm = vector(r, queryLatent);
  const config = { modelDim, heads, kvLatent, queryLatent, nopeDim, ropeDim, valueDim };
  return {
    r,
    w,
    config,
    m,
    x: numbers(r, m * modelDim),
    interleaved: r.chance(0.5),
    turned: ropeDim > 0 && r.chance(0.8),
  };
}
const tableFor = (ch, { config: { ropeDim: dim }, interleaved, turned }) =>
  turned ? ch.ropeTable({ dim, interleaved, positions: 10 }) : undefined;

for (const { variant, ch } of engines) {
  test(`the latent layer is that of float64, in both forms (${variant})`, (t) => {
    let most = 0;
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
        most = Math.max(
          most,
          near(layer.forward(c.x, { causal: true, form }).output, y, `seed ${seed}, ${form}`),
        );
      layer.dispose();
    }
    t.diagnostic(`worst ${most.toFixed(1)} units of the largest result`);
  });

  test(`the absorbed form is the expanded one, within the error rule (${variant})`, (t) => {
    let most = 0;
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
        most = Math.max(most, Math.abs(x - b.output[at]) / allowed);
        different += x !== b.output[at];
        total++;
      });
      assert.equal(a.weights.length, b.weights.length);
      assert.deepEqual(a.stats.n, b.stats.n);
      layer.dispose();
    }
    assert.ok(most <= 1, `${most} of the rule`);
    assert.ok(different > total / 4, 'the two forms are computed in two ways');
    t.diagnostic(`${different} of ${total} differ, by at most ${most.toFixed(3)} of the rule`);
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

/**
 * Extremes of a state: large weights of the queries, whose logits reach ±10^4 and more;
 * temperatures, equal rows, numbers of rows. The shapes are small, down to one number for each
 * size.
 */
function extremes(seed) {
  const r = random(seed);
  const long = seed % 50 === 0;
  const m = long ? r.integer(60, 140) : r.pick([1, 1, 2, 3, 5, 8, 13, 21]);
  const ties = r.pick([0, 0, 0, 0, 0, 0, 1, 2]);
  const amplitude = r.pick([1, 1, 1, 10, 100, 1000, 3000]);
  const temperature = r.pick([1, 1, 1, 0.1, 1e-3, 1e3, 1e3]);
  const small = (most) => (r.chance(0.25) ? 1 : r.integer(1, long ? Math.min(most, 4) : most));
  const rowsOf = (modelDim) => {
    const x = numbers(r, m * modelDim, r.pick([1, 1, 1e-2, 3]));
    if (ties)
      for (let at = modelDim; at < x.length; at++)
        if (ties === 2 || at % 2 || at < 4 * modelDim) x[at] = x[at - modelDim];
    return x;
  };
  return { r, m, ties, amplitude, temperature, small, rowsOf };
}

function extremeMultiHead(seed) {
  const { r, m, amplitude, temperature, small, rowsOf } = extremes(seed);
  const kvHeads = r.integer(1, 2);
  const heads = kvHeads * r.integer(1, 2);
  const headDim = small(8);
  const valueDim = r.chance(0.3) ? small(6) : headDim;
  const modelDim = small(12);
  const w = {
    q: numbers(r, heads * headDim * modelDim, amplitude / Math.sqrt(modelDim)),
    k: matrix(r, kvHeads * headDim, modelDim),
    v: matrix(r, kvHeads * valueDim, modelDim),
    o: matrix(r, modelDim, heads * valueDim),
  };
  if (r.chance(0.3))
    Object.assign(w, {
      qBias: numbers(r, heads * headDim, amplitude),
      kBias: numbers(r, kvHeads * headDim),
      vBias: numbers(r, kvHeads * valueDim),
      oBias: numbers(r, modelDim),
    });
  if (r.chance(0.3))
    Object.assign(w, {
      qNorm: vector(r, headDim).map((v) => v * amplitude),
      kNorm: vector(r, headDim),
    });
  const turned = headDim > 1 &&
    r.chance(0.6) && { dim: 2 * r.integer(1, Math.floor(headDim / 2)), interleaved: r.chance(0.5) };
  return {
    w,
    config: { modelDim, heads, kvHeads, headDim, valueDim, residual: r.chance(0.3) },
    turned,
    temperature,
    m,
    x: rowsOf(modelDim),
  };
}

function extremeLatent(seed) {
  const { r, m, amplitude, temperature, small, rowsOf } = extremes(seed);
  const heads = r.integer(1, 2);
  const kvLatent = small(10);
  const queryLatent = r.chance(0.5) ? small(6) : 0;
  const modelDim = small(12);
  const nopeDim = small(6);
  const ropeDim = 2 * r.integer(0, 2);
  const valueDim = small(6);
  const w = {
    kvA: matrix(r, kvLatent + ropeDim, modelDim),
    kvB: matrix(r, heads * (nopeDim + valueDim), kvLatent),
    o: matrix(r, modelDim, heads * valueDim),
  };
  if (r.chance(0.5)) w.kvANorm = vector(r, kvLatent);
  w[queryLatent ? 'qB' : 'q'] = matrix(r, heads * (nopeDim + ropeDim), queryLatent || modelDim).map(
    (v) => v * amplitude,
  );
  if (queryLatent) w.qA = matrix(r, queryLatent, modelDim);
  if (queryLatent && r.chance(0.5)) w.qANorm = vector(r, queryLatent);
  const turned = ropeDim > 0 && r.chance(0.7) && { dim: ropeDim, interleaved: r.chance(0.5) };
  return {
    w,
    config: { modelDim, heads, kvLatent, queryLatent, nopeDim, ropeDim, valueDim },
    turned,
    temperature,
    m,
    x: rowsOf(modelDim),
  };
}

for (const [kind, make, rule, forms] of [
  ['multiHead', extremeMultiHead, multiHeadSized, [undefined]],
  ['latent', extremeLatent, latentSized, ['expanded', 'absorbed']],
])
  test(`${kind}: 1000 random states, extremes among them, keep the error rule`, (t) => {
    let most = 0;
    let logit = 0;
    let decided = 0;
    let total = 0;
    let equal = 0;
    for (let seed = 5000; seed < 6000; seed++) {
      const { w, config, turned, temperature, m, x } = make(seed);
      const want = rule(x, w, {
        ...config,
        temperature,
        epsilon: 1e-6,
        f: turned && frequencies(turned.dim, 10000),
        interleaved: turned.interleaved,
      });
      logit = Math.max(logit, want.logit);
      const allowed = want.plain.map(
        (plain, at) => EPS * (PLAIN * plain + STEEP * want.steep[at]) + 2 ** -120,
      );
      want.plain.forEach((plain, at) => (decided += Number(allowed[at] < 0.01 * plain)));
      total += want.y.length;
      for (const { variant, ch } of engines) {
        const layer = ch[kind](w, {
          ...config,
          rope: turned ? ch.ropeTable({ ...turned, positions: m }) : undefined,
        });
        for (const form of forms) {
          const { output, weights } = layer.forward(x, {
            causal: true,
            temperature,
            want: { weights: true },
            ...(form && { form }),
          });
          assert.equal(output.length, want.y.length);
          output.forEach((y, at) => {
            const ratio = Math.abs(y - want.y[at]) / allowed[at];
            assert.ok(
              ratio <= 1,
              `seed ${seed}, ${variant} ${form ?? ''}: [${at}] is ${y}; should be ` +
                `${want.y[at]}, ${ratio} of the rule`,
            );
            most = Math.max(most, ratio);
          });
          // rows that are equal without places: the weights are as well, whatever the logits and
          // the temperature
          if (m === 1 || turned || x.some((v, at) => v !== x[at % config.modelDim])) continue;
          equal++;
          weights.forEach((p, at) => {
            const i = Math.floor(at / m) % m;
            const seen = at % m <= i ? 1 / (i + 1) : 0;
            assert.ok(
              Math.abs(p - seen) <= EPS * seen,
              `seed ${seed}, ${variant} ${form ?? ''}: weight ${at} is ${p}; should be ${seen}`,
            );
          });
        }
        layer.dispose();
      }
    }
    assert.ok(logit > 1e4, `logits up to ${logit}`);
    assert.ok(equal > 50, `${equal} of equal rows`);
    assert.ok(decided > 0.75 * total, `the rule decides ${decided} of ${total}`);
    t.diagnostic(
      `worst ${most.toFixed(3)} of the rule, which allows less than a hundredth of the ` +
        `numbers' size in ${decided} of ${total}; logits up to ${logit.toExponential(1)}`,
    );
  });

test("DeepSeek-V2's YaRN: factors that cancel in the table, and one squared in the scale", () => {
  const scaling = { type: 'yarn', factor: 40, original: 4096, mscale: 0.707, mscaleAllDim: 0.707 };
  const y = 0.1 * 0.707 * Math.log(40) + 1;
  const r = random(14);
  const config = {
    modelDim: 16,
    heads: 3,
    kvLatent: 12,
    queryLatent: 0,
    nopeDim: 6,
    ropeDim: 8,
    valueDim: 5,
  };
  const x = numbers(r, 9 * 16);
  const w = {
    q: matrix(r, 3 * 14, 16),
    kvA: matrix(r, 20, 16),
    kvANorm: vector(r, 12),
    kvB: matrix(r, 3 * 11, 12),
    o: matrix(r, 16, 15),
  };
  const of = (temperature) =>
    latentSized(x, w, {
      ...config,
      temperature,
      epsilon: 1e-6,
      f: frequencies(8, 10000, scaling),
      interleaved: true,
    });
  const want = of(1 / (y * y));
  const without = of(1);
  for (const { variant, ch } of engines) {
    const layer = ch.latent(w, {
      ...config,
      rope: ch.ropeTable({ dim: 8, positions: 9, interleaved: true, scaling }),
    });
    for (const form of ['expanded', 'absorbed']) {
      const { output } = layer.forward(x, { causal: true, form, scale: (y * y) / Math.sqrt(14) });
      output.forEach((v, at) =>
        assert.ok(
          Math.abs(v - want.y[at]) <= EPS * (PLAIN * want.plain[at] + STEEP * want.steep[at]),
          `${variant}, ${form}, ${at}`,
        ),
      );
    }
    layer.dispose();
  }
  assert.ok(want.y.some((v, at) => Math.abs(v - without.y[at]) > 1e-2));
});

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
  const many = ch.multiHead(w, { modelDim, heads: 8, kvHeads: 4, rope: table, residual: true });
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
    yield many.forward(x, options);
    yield latent.forward(x, options);
    yield latent.forward(x, { ...options, form: 'absorbed' });
    const cache = ch.kvCache({ kvHeads: 4, headDim: 32, capacity: 200 });
    const latents = latent.cache({ capacity: 200 });
    for (const [from, to] of [
      [0, 100],
      [100, 101],
      [101, 150],
    ]) {
      yield many.forward(x.slice(from * modelDim, to * modelDim), { ...options, cache });
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
    yield many.forward(row, { ...options, cache: deep, positions });
    yield latent.forward(row, { ...options, cache: deepLatents, positions });
    deep.dispose();
    deepLatents.dispose();
  };
}

for (const { variant, ch } of engines)
  test(`threads give both layers the bits of one (${variant})`, async () => {
    const want = [...large(ch)()];
    for (const threads of [2, 3]) {
      const many = await init({ layers: true, variant, threads });
      const run = large(many);
      for (let times = 0; times < 2; times++)
        [...run()].forEach((result, at) =>
          sameBits(result, want[at], `${threads} threads, call ${at}`),
        );
      assert.equal(many.info.threads, threads, many.info.why);
      many.dispose();
      [...run()].forEach((result, at) => sameBits(result, want[at], `after dispose, call ${at}`));
    }
  });
