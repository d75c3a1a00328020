/** The gradients of layers: in C, in a textbook's order, and as central differences. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from '../../src/js/index.js';
import { ATTN_GELU, ATTN_GELU_TANH, ATTN_SILU } from '../../src/js/engine/constants.js';
import { random } from '../support/random.js';
import { central, distance } from '../support/train/differences.js';
import { called } from '../support/train/kernels.js';
import * as textbook from '../support/train/textbook.js';

const U = 2 ** -24;
/** Chains of 32 terms and their sums; the terms here do not cancel to less than a thousandth. */
const SUMS = 1e3 * 64 * U;
/**
 * Relative to the largest slope. In the tanh form the rounding of u is multiplied by |u|, which is
 * below 10 wherever the slope is not yet 0 or 1.
 */
const SLOPES = { silu: 16 * U, gelu: 16 * U, gelu_tanh: 48 * U };
/** Central differences in double: a step of 1e-5 leaves its square. */
const DIFFERENCES = 1e-8;

const numbers = (seed, length) => {
  const r = random(seed);
  return Float32Array.from({ length }, () => r.normal());
};
const near = (a, b, bound) => assert.ok(distance(a, b) <= bound, `${distance(a, b)} > ${bound}`);
const double = (...arrays) => arrays.map((x) => Float64Array.from(x));

let ch;
before(async () => {
  ch = await init({ layers: true, variant: 'simd' });
});

describe('a linear layer', () => {
  // below, at and beyond the sizes of tiles, panels, blocks and pieces
  const shapes = [
    [1, 1, 1],
    [3, 5, 7],
    [4, 64, 8],
    [9, 65, 33],
    [130, 257, 131],
    [300, 40, 520],
  ];
  for (const [rows, inputs, outputs] of shapes)
    test(`of (${rows}, ${inputs}) to ${outputs} has the textbook's output and gradients`, () => {
      const [x, w] = [numbers(1, rows * inputs), numbers(2, outputs * inputs)];
      const [dy, start] = [numbers(3, rows * outputs), numbers(4, rows * outputs)];
      const got = called(ch, ({ c, team, put, zeros, read }) => {
        const at = [x, w, dy, start].map(put);
        const [y, dx] = [zeros(rows * outputs), zeros(rows * inputs)];
        c.attn_linear(team, y, at[3], at[0], at[1], rows, inputs, outputs);
        c.attn_linear_input_gradient(team, dx, at[0], at[2], at[1], rows, inputs, outputs);
        const dw = put(w);
        c.attn_linear_weight_gradient(team, dw, at[2], at[0], rows, inputs, outputs);
        return [read(y, rows * outputs), read(dx, rows * inputs), read(dw, outputs * inputs)];
      });
      const plus = (a, b) => a.map((value, i) => value + b[i]);
      const { dx, dw } = textbook.linearGradient(...double(dy, x, w), inputs);
      near(got[0], plus(textbook.linear(...double(x, w), inputs), start), SUMS);
      near(got[1], plus(dx, x), SUMS);
      near(got[2], plus(dw, w), SUMS);
    });

  test('without a start begins at 0, whatever lies there', () => {
    const [x, w] = [numbers(5, 12), numbers(6, 12)];
    const y = called(ch, ({ c, team, put, read }) => {
      const to = put(new Float32Array(9).fill(NaN));
      c.attn_linear(team, to, 0, put(x), put(w), 3, 4, 3);
      return read(to, 9);
    });
    near(y, textbook.linear(...double(x, w), 4), SUMS);
  });

  test('in the textbook has the gradient of central differences', () => {
    const [x, w, dy] = double(numbers(7, 12), numbers(8, 20), numbers(9, 15));
    const { dx, dw } = textbook.linearGradient(dy, x, w, 4);
    near(
      dx,
      central((at) => textbook.linear(at, w, 4), x, dy),
      DIFFERENCES,
    );
    near(
      dw,
      central((at) => textbook.linear(x, at, 4), w, dy),
      DIFFERENCES,
    );
  });
});

describe('RMSNorm', () => {
  for (const [rows, size] of [
    [1, 1],
    [7, 21],
    [40, 128],
  ])
    test(`of (${rows}, ${size}) adds the textbook's gradients to those that are there`, () => {
      const [x, dy, g] = [numbers(1, rows * size), numbers(2, rows * size), numbers(3, size)];
      const got = called(ch, ({ c, team, put, zeros, read }) => {
        const [dx, dg] = [put(dy), put(g)];
        const r = zeros(rows, 'float64');
        const at = [dy, x, g].map(put);
        c.attn_rms_norm_gradient(team, dx, dg, ...at, r, rows, size, 1e-5);
        return [read(dx, rows * size), read(dg, size)];
      });
      const want = textbook.rmsNormGradient(...double(dy, x, g), 1e-5);
      near(
        got[0],
        want.dx.map((value, i) => value + dy[i]),
        4 * U,
      );
      near(
        got[1],
        want.dg.map((value, i) => value + g[i]),
        4 * U,
      );
    });

  test('in the textbook has the gradient of central differences', () => {
    const [x, dy, g] = double(numbers(4, 24), numbers(5, 24), numbers(6, 8));
    const { dx, dg } = textbook.rmsNormGradient(dy, x, g, 1e-5);
    near(
      dx,
      central((at) => textbook.rmsNorm(at, g, 1e-5), x, dy),
      DIFFERENCES,
    );
    near(
      dg,
      central((at) => textbook.rmsNorm(x, at, 1e-5), g, dy),
      DIFFERENCES,
    );
  });
});

describe('an activation', () => {
  const kinds = { silu: ATTN_SILU, gelu: ATTN_GELU, gelu_tanh: ATTN_GELU_TANH };
  for (const [name, kind] of Object.entries(kinds)) {
    test(`${name} times up has the textbook's gradients, in place as well`, () => {
      const [x, up, dy] = [numbers(1, 103).map((v) => 3 * v), numbers(2, 103), numbers(3, 103)];
      const want = [
        x.map((v, i) => dy[i] * up[i] * textbook.slopes[name](v)),
        x.map((v, i) => dy[i] * textbook.curves[name](v)),
      ];
      for (const inPlace of [false, true]) {
        const got = called(ch, ({ c, put, zeros, read }) => {
          const at = [dy, x, up].map(put);
          const to = inPlace ? [at[1], at[2]] : [zeros(103), zeros(103)];
          c.attn_activate_gradient(...to, ...at, 103, kind);
          return to.map((place) => read(place, 103));
        });
        got.forEach((values, i) => near(values, want[i], SLOPES[name]));
      }
    });

    test(`${name} alone has the slope of central differences`, () => {
      const x = Float64Array.from({ length: 81 }, (_, i) => (i - 40) / 5);
      const got = called(ch, ({ c, put, zeros, read }) => {
        const dx = zeros(81);
        c.attn_activate_gradient(dx, 0, put(new Float32Array(81).fill(1)), put(x), 0, 81, kind);
        return read(dx, 81);
      });
      const exact = Float64Array.from(Float32Array.from(x));
      const want = central(
        (at) => at.map(textbook.curves[name]),
        exact,
        new Float64Array(81).fill(1),
      );
      near(got, want, SLOPES[name]);
      near(exact.map(textbook.slopes[name]), want, DIFFERENCES);
    });
  }
});

describe('tokens and positions', () => {
  for (const interleaved of [0, 1])
    test(`rotating back undoes ${interleaved ? 'neighbouring pairs' : 'halves'}`, () => {
      const x = numbers(1, 5 * 3 * 8);
      const { cos, sin } = ch.ropeTable({ dim: 8, positions: 9 });
      const positions = Int32Array.of(8, 0, 3, 3, 1);
      const got = called(ch, ({ c, put, read }) => {
        const at = put(x);
        const rest = [5, 3, 24, 8, put(cos), put(sin), put(positions), 8, interleaved];
        c.attn_rope(at, ...rest);
        c.attn_rope_gradient(at, ...rest);
        return read(at, x.length);
      });
      near(got, x, 4 * U);
    });

  test('a token that occurs twice gets the sum of both gradients, in their order', () => {
    const [de, dx] = [numbers(2, 5 * 19), numbers(3, 4 * 19)];
    const tokens = Int32Array.of(3, 1, 3, 0);
    const want = Float32Array.from(de);
    tokens.forEach((token, i) => {
      for (let k = 0; k < 19; k++) want[token * 19 + k] += dx[i * 19 + k];
    });
    const got = called(ch, ({ c, team, put, read }) => {
      const to = put(de);
      c.attn_embed_gradient(team, to, put(dx), put(tokens), 4, 19);
      return read(to, de.length);
    });
    assert.deepEqual(got, want);
  });
});
