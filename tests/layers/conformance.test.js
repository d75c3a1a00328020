/**
 * The ONNX project's expectations for the operators around attention, through the public API, on
 * every variant. The files are third-party data beside this repository; without them: skipped.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { engines } from '../support/models/engines.js';
import { load, present } from '../support/onnx.js';

const skip = present ? false : 'skipped, not present';
const cases = load(['Gelu', 'LayerNormalization', 'RMSNormalization', 'RotaryEmbedding', 'Swish']);
let worst = { error: 0 };

/** |got − want| ≤ 1e-6·max(1, |want|): the expectations are float32 themselves. */
function agree(got, want, name) {
  assert.equal(got.length, want.length, `${name}: length`);
  want.forEach((x, at) => {
    const error = Math.abs(got[at] - x) / Math.max(1, Math.abs(x));
    assert.ok(error <= 1e-6, `${name}[${at}] is ${got[at]}, expected ${x}`);
    if (error > worst.error) worst = { error, name };
  });
}

/** How many numbers are normalised together: those of the axes from `axis` on. */
const sizeOf = ({ attributes: { axis = -1 }, tensors: { X } }) =>
  X.shape.slice(axis < 0 ? X.shape.length + axis : axis).reduce((a, b) => a * b, 1);

const run = {
  Gelu: (ch, { attributes, tensors: { X } }) => ({
    Y: ch.gelu(X.data, { approximate: attributes.approximate }),
  }),
  Swish: (ch, { attributes, tensors: { X } }) => {
    assert.equal(attributes.alpha, 1);
    return { Y: ch.silu(X.data) };
  },
  RMSNormalization: (ch, c) => ({
    Y: ch.rmsNorm(c.tensors.X.data, c.tensors.scale.data, {
      size: sizeOf(c),
      epsilon: c.attributes.epsilon,
    }),
  }),
  LayerNormalization: (ch, c) => {
    const { X, Scale, B } = c.tensors;
    const size = sizeOf(c);
    const count = X.data.length / size;
    const mean = new Float32Array(count);
    const inverseDeviation = new Float32Array(count);
    const Y = ch.layerNorm(X.data, Scale.data, B.data, {
      size,
      epsilon: c.attributes.epsilon,
      mean,
      inverseDeviation,
    });
    return { Y, Mean: mean, InvStdDev: inverseDeviation };
  },
  RotaryEmbedding: (
    ch,
    { attributes, tensors: { X, cos_cache: cos, sin_cache: sin, position_ids: places } },
  ) => {
    const flat = X.shape.length === 3;
    const heads = flat ? attributes.num_heads : X.shape[1];
    const m = X.shape.at(-2);
    const batch = X.shape[0];
    const table = {
      cos: cos.data,
      sin: sin.data,
      dim: 2 * cos.shape.at(-1),
      interleaved: attributes.interleaved === 1,
    };
    // without position_ids the table has a row for each position of each batch
    const positions = places?.data ?? Int32Array.from({ length: batch * m }, (_, at) => at);
    return {
      Y: ch.rope(X.data, table, {
        headDim: X.shape.at(-1) / (flat ? heads : 1),
        heads,
        batch,
        layout: flat ? 'bshd' : 'bhsd',
        positions,
      }),
    };
  },
};

test('all 27 cases are there', { skip }, () => assert.equal(cases.length, 27));

for (const { variant, ch } of engines)
  for (const c of cases)
    test(`${c.name} (${variant})`, () => {
      const got = run[c.op](ch, c);
      assert.deepEqual(Object.keys(got), c.outputs);
      for (const name of c.outputs) agree(got[name], c.tensors[name].data, `${c.name}: ${name}`);
    });

after(() => {
  if (present)
    console.log(`worst error ${worst.error.toExponential(2)} of max(1, |want|): ${worst.name}`);
});
