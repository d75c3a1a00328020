/**
 * The ONNX project's expectations for Attention, FlexAttention, Softmax and LogSoftmax, through the
 * public API, on every variant. Cases with a past go through a KV cache. The files are third-party
 * data beside this repository; without them: skipped.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { engines } from '../support/engines.js';
import { load, outputModes, present, rowsOf, translate } from '../support/onnx.js';

const skip = present ? false : 'skipped, not present';
const attentionCases = load(['Attention', 'FlexAttention']);
const softmaxCases = load(['Softmax', 'LogSoftmax']);
let worst = { error: 0 };

/** |got − want| ≤ t·max(1, |want|); −∞ and rows of zeros exactly. */
function agree(got, want, dtype, width, name) {
  const t = { F32: 1e-6, F16: 2e-3, F64: 1e-14 }[dtype];
  assert.equal(got.length, want.length, `${name}: length`);
  for (let row = 0; row < want.length; row += width) {
    const zero = want.subarray(row, row + width).every((x) => x === 0);
    for (let x = row; x < row + width; x++) {
      if (zero || !Number.isFinite(want[x])) assert.equal(got[x], want[x], `${name}[${x}]`);
      const error =
        zero || !Number.isFinite(want[x])
          ? 0
          : Math.abs(got[x] - want[x]) / Math.max(1, Math.abs(want[x]));
      assert.ok(error <= t, `${name}[${x}] is ${got[x]}, expected ${want[x]}`);
      if (dtype === 'F32' && error > worst.error) worst = { error, name };
    }
  }
}

/** The rows of one batch of a bhsd or bshd array: batches are outermost in both. */
const ofBatch = (a, b, batch) => a.subarray((a.length / batch) * b, (a.length / batch) * (b + 1));

/** One call per batch over a cache that holds the past and takes the new keys; results joined. */
function throughCache(ch, { q, k, v, options, past }, tensors, want) {
  const { batch, heads, kvHeads, headDim, valueDim, layout, mask, ...rest } = options;
  const parts = [];
  const keys = past + k.length / (batch * kvHeads * headDim);
  for (let b = 0; b < batch; b++) {
    const cache = ch.kvCache({ kvHeads, headDim, valueDim, capacity: keys });
    cache.append(
      ofBatch(tensors.past_key.data, b, batch),
      ofBatch(tensors.past_value.data, b, batch),
    );
    cache.append(ofBatch(k, b, batch), ofBatch(v, b, batch), { layout });
    assert.equal(cache.length, keys);
    const own =
      mask?.shape.length === 4 && mask.shape[0] === batch
        ? { data: ofBatch(mask.data, b, batch), shape: mask.shape.slice(1) }
        : mask;
    const result = ch.attend(ofBatch(q, b, batch), cache, {
      ...rest,
      heads,
      layout,
      mask: own,
      want,
    });
    parts.push({ ...result, present: cache.read() });
    cache.dispose();
  }
  const join = (pick) => Float32Array.from(parts.flatMap((part) => [...pick(part)]));
  return {
    output: join((p) => p.output),
    weights: parts[0].weights && join((p) => p.weights),
    scores: parts[0].scores && join((p) => p.scores),
    presentKey: join((p) => p.present.k),
    presentValue: join((p) => p.present.v),
  };
}

test('all 56 cases are there', { skip }, () => {
  assert.deepEqual([attentionCases.length, softmaxCases.length], [48, 8]);
});

for (const { variant, ch } of engines) {
  for (const c of attentionCases)
    test(`${c.name} (${variant})`, () => {
      const call = translate(c);
      const { Y, qk_matmul_output: scores, present_key, present_value } = c.tensors;
      const mode = scores && outputModes[c.attributes.qk_matmul_output_mode ?? 0];
      const want = mode === 'weights' ? { weights: true } : mode ? { scores: mode } : {};
      const got = call.past
        ? throughCache(ch, call, c.tensors, want)
        : ch.attention(call.q, call.k, call.v, { ...call.options, want });
      assert.ok(got.output instanceof (Y.dtype === 'F64' ? Float64Array : Float32Array));
      agree(got.output, Y.data, Y.dtype, call.options.valueDim, 'Y');
      if (mode)
        agree(
          mode === 'weights' ? got.weights : got.scores,
          scores.data,
          scores.dtype,
          call.keys,
          'qk_matmul_output',
        );
      if (call.past) {
        assert.deepEqual(got.presentKey, present_key.data, 'present_key is exact');
        assert.deepEqual(got.presentValue, present_value.data, 'present_value is exact');
      }
    });
  for (const c of softmaxCases)
    test(`${c.name} (${variant})`, () => {
      // one query of 1 and keys x of size 1: the logits are x, the weights its softmax
      const { n, rows } = rowsOf(c);
      const { data } = c.tensors.input;
      const x = Float32Array.from(rows.flatMap((row) => row.map((at) => data[at])));
      const run = (Type) =>
        ch.attention(new Type(rows.length).fill(1), Type.from(x), Type.from(x), {
          batch: rows.length,
          headDim: 1,
          want: { weights: true, lse: true },
        });
      const want = Float32Array.from(
        rows.flatMap((row) => row.map((at) => c.tensors.output.data[at])),
      );
      const { weights } = run(Float32Array);
      agree(c.op === 'Softmax' ? weights : weights.map(Math.log), want, 'F32', n, 'output');
      // x − lse cancels where x is large (10^4 in one case): that way needs float64
      const { lse } = run(Float64Array);
      agree(
        c.op === 'Softmax'
          ? run(Float64Array).weights
          : Float64Array.from(x, (y, at) => y - lse[Math.floor(at / n)]),
        want,
        'F32',
        n,
        'output from float64',
      );
    });
}

after(() => {
  if (present)
    console.log(`worst F32 error ${worst.error.toExponential(2)} of max(1, |want|): ${worst.name}`);
});
