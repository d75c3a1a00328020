/** Masked keys have no part in gradients, and extremes have the gradients they must have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { engines } from '../support/models/engines.js';
import { random } from '../support/random.js';
import { attentionGradient } from '../support/train/attention-gradient.js';
import { rules, worstOf } from '../support/train/compare.js';

const TYPES = [Float32Array, Float64Array];
const zeros = (array) => array.every((x) => x === 0);

/** Numbers for a call of `heads` heads, and its sizes. */
function made(Type, { heads = 2, m = 70, n = 130, d = 8, dv = 5, seed = 1 } = {}) {
  const r = random(seed);
  const numbers = (size) => Type.from({ length: size }, r.normal);
  const sizes = { heads, headDim: d, valueDim: dv };
  return {
    sizes,
    q: numbers(heads * m * d),
    k: numbers(heads * n * d),
    v: numbers(heads * n * dv),
    dOutput: numbers(heads * m * dv),
  };
}

/** Options that hide keys 3 and 125 of 130 from all of 70 queries. */
const HIDDEN = [3, 125];
const seen = Uint8Array.from({ length: 130 }, (_, j) => Number(!HIDDEN.includes(j)));
const hides = {
  'a boolean mask': () => ({ mask: { data: seen, shape: [130] } }),
  'a float mask': (Type) => ({
    mask: { data: Type.from(seen, (on) => (on ? 0.5 : -Infinity)), shape: [130] },
  }),
};

for (const { variant, ch } of engines)
  for (const Type of TYPES)
    for (const [name, hide] of Object.entries(hides))
      test(`NaN in keys that ${name} hides changes no bit: ${variant} ${Type.name}`, () => {
        const { sizes, q, k, v, dOutput } = made(Type);
        const options = { ...sizes, ...hide(Type) };
        const want = ch.attentionGradient(q, k, v, dOutput, options);
        for (const bad of [NaN, Infinity])
          for (let h = 0; h < 2; h++)
            for (const j of HIDDEN) {
              k.fill(bad, (h * 130 + j) * 8, (h * 130 + j + 1) * 8);
              v.fill(bad, (h * 130 + j) * 5, (h * 130 + j + 1) * 5);
            }
        const got = ch.attentionGradient(q, k, v, dOutput, options);
        sameBits(got, want);
        for (const j of HIDDEN) {
          assert.ok(zeros(got.dk.subarray(j * 8, (j + 1) * 8)));
          assert.ok(zeros(got.dv.subarray(j * 5, (j + 1) * 5)));
        }
      });

for (const { variant, ch } of engines)
  for (const Type of TYPES) {
    const label = `${variant} ${Type.name}`;

    test(`NaN reaches only the rows that attend it, and their keys: ${label}`, () => {
      const { sizes, q, k, v, dOutput } = made(Type, { heads: 1 });
      const options = { ...sizes, causal: true };
      const want = ch.attentionGradient(q, k, v, dOutput, options);
      k[65 * 8] = NaN; // rows 65 to 69 attend it, and with it keys 0 to 69
      const got = ch.attentionGradient(q, k, v, dOutput, options);
      sameArray(got.dq.subarray(0, 65 * 8), want.dq.subarray(0, 65 * 8), 'rows before');
      assert.ok(got.dq.subarray(65 * 8).every(Number.isNaN));
      assert.ok(got.dk.subarray(0, 70 * 8).every(Number.isNaN));
      assert.ok(got.dv.subarray(0, 70 * 5).every(Number.isNaN));
      assert.ok(zeros(got.dk.subarray(70 * 8)) && zeros(got.dv.subarray(70 * 5)));
    });

    test(`rows without keys have dq 0, and keys that nothing attends dk and dv 0: ${label}`, () => {
      const { sizes, q, k, v, dOutput } = made(Type, { heads: 1 });
      const got = ch.attentionGradient(q, k, v, dOutput, { ...sizes, causal: true, offset: -20 });
      assert.ok(zeros(got.dq.subarray(0, 20 * 8)));
      assert.ok(!zeros(got.dq.subarray(21 * 8)));
      assert.ok(zeros(got.dk.subarray(50 * 8)) && zeros(got.dv.subarray(50 * 5)));
    });

    test(`without keys or without queries all gradients are 0: ${label}`, () => {
      const none = new Type(0);
      const x = Type.of(1, 2, 3, 4);
      const noKeys = ch.attentionGradient(x, none, none, x, { headDim: 2 });
      sameBits(noKeys, { dq: new Type(4), dk: none, dv: none });
      const noQueries = ch.attentionGradient(none, x, x, none, { headDim: 2 });
      sameBits(noQueries, { dq: none, dk: new Type(4), dv: new Type(4) });
    });

    test(`one key has all the weight: dv is dOutput, and scores have no gradient: ${label}`, () => {
      const { sizes, q, k, v, dOutput } = made(Type, { heads: 1, m: 1, n: 1 });
      const got = ch.attentionGradient(q, k, v, dOutput, sizes);
      dOutput.forEach((x, c) => assert.ok(Math.abs(got.dv[c] - x) <= 4e-7 * Math.abs(x)));
      assert.ok([...got.dq, ...got.dk].every((x) => Math.abs(x) < 1e-5));
    });

    test(`at huge logits the largest key takes all of dv, and dq and dk are 0: ${label}`, () => {
      for (const size of [1e6, 1e15, 1e30]) {
        const k = Type.of(1, 3, 2).map((x) => x * size);
        const v = Type.of(5, 6, 7);
        const got = ch.attentionGradient(Type.of(size), k, v, Type.of(2), { headDim: 1, scale: 1 });
        assert.deepEqual([...got.dv], [0, 2, 0], `${size}`);
        assert.ok(zeros(got.dq) && zeros(got.dk), `${size}: ${got.dq} ${got.dk}`);
      }
    });

    test(`keys that tie share dv: ${label}`, () => {
      const ones = new Type(4).fill(1);
      const { dv } = ch.attentionGradient(ones, ones, Type.of(1, 2, 3, 4), ones, { headDim: 1 });
      assert.ok(dv.every((x) => Math.abs(x - 1) < 1e-6));
    });

    for (const [d, dv] of [
      [1, 1],
      [1, 1024],
      [1024, 1],
      [1024, 1024],
    ])
      test(`heads of ${d} and values of ${dv} channels keep the error rule: ${label}`, () => {
        const { sizes, q, k, v, dOutput } = made(Type, { heads: 1, m: 62, n: 125, d, dv });
        const rule = rules[Type === Float32Array ? 'float32' : 'float64'];
        const oracle = attentionGradient(q, k, v, dOutput, { ...sizes, causal: true }, rule);
        const got = ch.attentionGradient(q, k, v, dOutput, { ...sizes, causal: true });
        const worst = worstOf(got, oracle, rule);
        assert.ok(worst.ratio <= 1, JSON.stringify(worst));
      });
  }
