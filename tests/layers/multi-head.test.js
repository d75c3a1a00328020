/** The multi-head layer against float64, against its parts, and in chunks, steps and batches. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { engines } from '../support/models/engines.js';
import { frequencies, linear } from '../support/layers/operations-textbook.js';
import { multiHead } from '../support/layers/textbook.js';
import { EPS, near, numbers, randomMultiHead } from '../support/layers/random-layers.js';

for (const { variant, ch } of engines) {
  test(`the multi-head layer is that of float64, with all its options (${variant})`, (t) => {
    let max = 0;
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
      max = Math.max(max, near(layer.forward(x, { causal: true }).output, want, `seed ${seed}`));
      layer.dispose();
    }
    t.diagnostic(`worst ${max.toFixed(1)} units of the largest result`);
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
        const single = {
          ...row('q', h, headDim),
          ...row('k', g, headDim),
          ...row('v', g, valueDim),
          o: identity(valueDim),
          qNorm: w.qNorm,
          kNorm: w.kNorm,
        };
        const { output } = ch
          .multiHead(single, { ...open, heads: 1, kvHeads: 1, headDim, outputs: valueDim })
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
      for (const each of [layer, cache, X, out]) each.dispose();
    }
  });
}
