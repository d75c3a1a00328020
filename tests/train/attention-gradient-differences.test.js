/**
 * Gradients of attention against differences of the loss L = Σ dOutput·output, in float64. The
 * differences are central and extrapolated twice (Richardson), so their own error is below 1e-10 of
 * the largest gradient.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/models/engines.js';
import { random } from '../support/random.js';
import { boolMask, floatMask, keyScale, sinks, slopes } from '../support/cases/mixtures.js';
import { wantsOf } from '../support/train/calls.js';

const { ch } = engines[0];
const TOLERANCE = 1e-9;
const STEP = 0.02;
const shape = { batch: 2, heads: 4, kvHeads: 2, m: 5, n: 7, d: 3, dv: 4 };

/** Options by name; each may draw numbers. */
const OPTIONS = {
  plain: () => ({}),
  'scale and temperature': () => ({ scale: -0.7, temperature: 0.6 }),
  'causal with an offset for each batch': () => ({ causal: true, offset: Int32Array.of(-1, 2) }),
  window: () => ({ window: [2, 1], offset: 1 }),
  softcap: () => ({ softcap: 1.5 }),
  'boolean mask': (r) => ({ mask: boolMask(r, [5, 7], () => r.chance(0.7)) }),
  'float mask': (r) => ({ mask: floatMask(r, Float64Array, [2, 4, 5, 7], 0.2) }),
  'float mask of one row': (r) => ({ mask: floatMask(r, Float64Array, [1, 7], 0.1) }),
  'float mask of one column': (r) => ({ mask: floatMask(r, Float64Array, [4, 5, 1], 0.1) }),
  'short float mask': (r) => ({ mask: floatMask(r, Float64Array, [2, 1, 5, 4]) }),
  'key lengths': () => ({ keyLengths: Int32Array.of(3, 6) }),
  alibi: (r) => ({ alibi: slopes(r, shape, Float64Array), offset: 2 }),
  sinks: (r) => ({ sinks: sinks(r, shape, Float64Array), temperature: 1.3 }),
  'key scale': (r) => ({ keyScale: keyScale(r, shape, Float64Array) }),
  all: (r) => ({
    causal: true,
    offset: 3,
    window: [4, 0],
    softcap: 2,
    temperature: 0.8,
    scale: 0.9,
    mask: floatMask(r, Float64Array, [4, 1, 7], 0.1),
    keyLengths: Int32Array.of(7, 6),
    alibi: slopes(r, shape, Float64Array),
    sinks: sinks(r, shape, Float64Array),
    keyScale: keyScale(r, shape, Float64Array),
  }),
};

/** The derivative of f at 0: central differences of three steps, without the errors h² and h⁴. */
function derivative(f) {
  const at = (h) => (f(h) - f(-h)) / (2 * h);
  const [a, b, c] = [STEP, STEP / 2, STEP / 4].map(at);
  const [ab, bc] = [(4 * b - a) / 3, (4 * c - b) / 3];
  return (16 * bc - ab) / 15;
}

/** The arrays of a call, and where the gradient of each is found. */
const arraysOf = ({ q, k, v, options }) =>
  Object.entries({
    dq: q,
    dk: k,
    dv: v,
    dKeyScale: options.keyScale,
    dSinks: options.sinks,
    dBias: options.mask?.data,
  }).filter(([, array]) => array instanceof Float64Array);

for (const [name, make] of Object.entries(OPTIONS))
  for (const layout of ['bhsd', 'bshd'])
    test(`gradients are derivatives to 1e-9 of the largest: ${name}, ${layout}`, () => {
      const r = random(name.length);
      const numbers = (size) => Float64Array.from({ length: size }, r.normal);
      const { batch, heads, kvHeads, m, n, d, dv } = shape;
      const options = { batch, heads, kvHeads, headDim: d, valueDim: dv, layout, ...make(r) };
      const q = numbers(batch * heads * m * d);
      const k = numbers(batch * kvHeads * n * d);
      const v = numbers(batch * kvHeads * n * dv);
      const dOutput = numbers(batch * heads * m * dv);
      const loss = (changed = {}) =>
        ch
          .attention(q, k, v, { ...options, ...changed })
          .output.reduce((sum, x, at) => sum + x * dOutput[at], 0);

      const want = wantsOf(options);
      const got = ch.attentionGradient(q, k, v, dOutput, { ...options, want });

      const expected = {};
      for (const [gradient, array] of arraysOf({ q, k, v, options }))
        expected[gradient] = Array.from(array, (x, at) => {
          if (x === -Infinity) return 0;
          const moved = (h) => {
            array[at] = x + h;
            const value = loss();
            array[at] = x;
            return value;
          };
          return derivative(moved);
        });
      const { scale = 1 / Math.sqrt(d), temperature = 1 } = options;
      expected.dScale = [derivative((h) => loss({ scale: scale + h }))];
      expected.dTemperature = [derivative((h) => loss({ temperature: temperature + h }))];
      const largest = Math.max(...Object.values(expected).flat().map(Math.abs));
      assert.ok(largest > 0.1);
      for (const [gradient, values] of Object.entries(expected))
        values.forEach((value, at) => {
          const found = typeof got[gradient] === 'number' ? got[gradient] : got[gradient][at];
          const error = Math.abs(found - value) / largest;
          assert.ok(error <= TOLERANCE, `${gradient}[${at}] is ${found}, expected ${value}`);
        });
    });
