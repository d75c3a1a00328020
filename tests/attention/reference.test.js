/**
 * The reference itself, against hand-computed values and the ONNX project's expectations.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, outputModes, present, rowsOf, translate } from '../support/onnx.js';
import { reference } from '../support/reference.js';

const near = (got, want, tolerance, what) => {
  assert.equal(got.length, want.length, what);
  got.forEach((x, i) =>
    assert.ok(
      Object.is(x, want[i]) ||
        x === want[i] ||
        Math.abs(x - want[i]) <= tolerance * Math.max(1, Math.abs(want[i])),
      `${what}[${i}]: ${x}, want ${want[i]}`,
    ),
  );
};
const F = (...x) => Float64Array.from(x);
const ln = Math.log;

test('two keys with logits 0 and ln 3 share as 1 : 3', () => {
  const r = reference(F(1), F(0, ln(3)), F(10, 20), { headDim: 1 });
  near(r.weights, [0.25, 0.75], 1e-15, 'weights');
  near(r.output, [17.5], 1e-15, 'output');
  near(r.lse, [ln(4)], 1e-15, 'lse');
  near(r.stats.entropy, [ln(4) - 0.75 * ln(3)], 1e-15, 'entropy');
  near(r.stats.kl, [ln(2) - r.stats.entropy[0]], 1e-15, 'kl');
  near(r.stats.expectedScore, [0.75 * ln(3)], 1e-15, 'expected score');
  assert.deepEqual([r.stats.n[0], r.stats.argmax[0], r.A[0]], [2, 1, ln(3)]);
  near(r.stats.maxWeight, [0.75], 1e-15, 'largest weight');
});

test('temperature divides the logits, its limits are the hard argmax and the mean', () => {
  const at = (temperature, more) =>
    reference(F(1), F(0, 2, 2, -1), F(1, 2, 4, 8), { headDim: 1, temperature, ...more });
  near(at(2).weights, at(1, { scale: 0.5 }).weights, 1e-15, 'T = 2 is scale/2');
  near(at(0).weights, [0, 0.5, 0.5, 0], 0, 'ties share');
  near(at(0).output, [3], 0, 'output');
  near(at(Infinity).output, [3.75], 0, 'mean');
  near(at(Infinity).lse, [ln(4)], 1e-15, 'lse at ∞');
  assert.deepEqual([at(0).lse[0], at(0, { scale: -1 }).lse[0]], [Infinity, Infinity]);
  assert.equal(at(0, { mask: { data: F(-5), shape: [1] } }).lse[0], -Infinity);
  near(at(0, { scale: 0 }).lse, [ln(4)], 1e-15, 'lse at 0 of zeros');
  near(
    at(Infinity, { sinks: F(100) }).weights,
    [0.2, 0.2, 0.2, 0.2],
    1e-15,
    'a sink is one more key at ∞',
  );
  near(at(0, { sinks: F(2) }).weights, [0, 1 / 3, 1 / 3, 0], 1e-15, 'a sink ties at 0');
  near(at(0, { sinks: F(3) }).output, [0], 0, 'a larger sink takes all');
  near(at(0, { sinks: F(3) }).stats.maxWeight, [0.5], 0, 'statistics do not know sinks');
});

test('softcap comes before the bias, sinks only join the denominator', () => {
  const r = reference(F(1), F(0, 100), F(1, 1), {
    headDim: 1,
    softcap: 2,
    mask: { data: F(0, -2), shape: [2] },
    sinks: F(0),
  });
  near(r.capped, [0, 2], 1e-15, 'capped');
  near(r.masked, [0, 0], 1e-15, 'masked');
  near(r.weights, [1 / 3, 1 / 3], 1e-15, 'weights');
  near(r.lse, [ln(2)], 1e-15, 'lse without the sink');
});

test('masks, windows, lengths and offsets select the keys they say', () => {
  const seen = (m, n, options) => {
    const r = reference(F(...Array(m).fill(0)), F(...Array(n).fill(1)), F(...Array(n).fill(1)), {
      headDim: 1,
      ...options,
    });
    return Array.from({ length: m }, (_, i) =>
      Array.from(r.masked.subarray(i * n, i * n + n), (x) => (x === -Infinity ? '.' : 'x')).join(
        '',
      ),
    );
  };
  assert.deepEqual(seen(3, 4, { causal: true }), ['x...', 'xx..', 'xxx.']);
  assert.deepEqual(seen(3, 4, { causal: true, offset: -1 }), ['....', 'x...', 'xx..']);
  assert.deepEqual(seen(3, 4, { window: [1, 0] }), ['x...', 'xx..', '.xx.']);
  assert.deepEqual(seen(2, 5, { window: [0, Infinity], offset: 2 }), ['..xxx', '...xx']);
  assert.deepEqual(seen(2, 4, { keyLengths: Int32Array.of(3) }), ['xxx.', 'xxx.']);
  assert.deepEqual(seen(2, 4, { mask: { data: Uint8Array.of(0, 1, 7), shape: [3] } }), [
    '.xx.',
    '.xx.',
  ]);
  assert.deepEqual(seen(2, 4, { mask: { data: Uint8Array.of(0, 1), shape: [2, 1] } }), [
    '....',
    'xxxx',
  ]);
  assert.deepEqual(seen(1, 3, { mask: { data: F(-1e9, -Infinity, 0), shape: [1, 1, 1, 3] } }), [
    'x.x',
  ]);
});

test('a row without keys is zero with lse −∞, and a masked NaN is not read', () => {
  const r = reference(F(1, 1), F(1, NaN), F(5, NaN), { headDim: 1, causal: true, offset: -1 });
  near(r.output, [0, 5], 0, 'output');
  assert.deepEqual([...r.lse], [-Infinity, 1]);
  assert.deepEqual([...r.stats.n], [0, 1]);
  assert.ok(Number.isNaN(r.raw[1]), 'raw scores are those of all keys');
});

test('ALiBi and keyScale act per head and key', () => {
  const r = reference(F(1, 1), F(1, 1, 1), F(1, 1, 1), {
    headDim: 1,
    heads: 2,
    kvHeads: 1,
    alibi: F(1, 0.5),
    offset: 1,
    keyScale: F(1, 2, -3),
  });
  near(r.masked, [0, 2, -4, 0.5, 2, -3.5], 1e-15, 'masked');
});

test('query head h reads key head ⌊h / (H/G)⌋, and both layouts mean the same', () => {
  const r = reference(F(1, 1, 1, 1), F(0, 0), F(7, 9), { headDim: 1, heads: 4, kvHeads: 2 });
  near(r.output, [7, 7, 9, 9], 0, 'groups');
  // (1 batch, 2 positions, 2 heads, 1 channel)
  const s = reference(F(0, 0, 0, 0), F(1, 1, 1, 1), F(1, 10, 3, 30), {
    headDim: 1,
    heads: 2,
    layout: 'bshd',
  });
  near(s.output, [2, 20, 2, 20], 1e-15, 'positions first');
});

const reason = present ? false : 'skipped, not present';
/** Keys or values of the past, heads first, and behind them the new ones. */
function joined(old, fresh, size, { past, keys, options: { batch, kvHeads, layout } }) {
  const all = new Float32Array(batch * kvHeads * keys * size);
  const t = keys - past;
  for (let b = 0; b < batch; b++)
    for (let h = 0; h < kvHeads; h++)
      for (let j = 0; j < keys; j++) {
        const row =
          layout === 'bshd' ? (b * t + j - past) * kvHeads + h : (b * kvHeads + h) * t + j - past;
        const [from, at] = j < past ? [old, (b * kvHeads + h) * past + j] : [fresh, row];
        all.set(from.subarray(at * size, (at + 1) * size), ((b * kvHeads + h) * keys + j) * size);
      }
  return all;
}

/** An array of query heads, turned from positions first to heads first. */
function headsFirst(a, size, { batch, heads }) {
  const m = a.length / (batch * heads * size);
  return a.map((_, at) => {
    const x = at % size;
    const i = Math.floor(at / size) % m;
    const h = Math.floor(at / size / m) % heads;
    const b = Math.floor(at / size / m / heads);
    return a[((b * m + i) * heads + h) * size + x];
  });
}

/** The call of a case and the output that it expects, both heads first if it has a past. */
function withPast(c) {
  const call = translate(c);
  const { options, past } = call;
  const { headDim, valueDim, layout } = options;
  const want = c.tensors.Y.data;
  if (!past) return { ...call, want };
  const k = joined(c.tensors.past_key.data, call.k, headDim, call);
  const v = joined(c.tensors.past_value.data, call.v, valueDim, call);
  assert.deepEqual(k, c.tensors.present_key.data, `${c.name}: present_key`);
  if (layout !== 'bshd') return { ...call, k, v, want };
  return {
    q: headsFirst(call.q, headDim, options),
    k,
    v,
    options: { ...options, layout: 'bhsd' },
    want: headsFirst(want, valueDim, options),
  };
}

test('the reference agrees with every ONNX attention case', { skip: reason }, () => {
  const list = load(['Attention', 'FlexAttention']);
  assert.equal(list.length, 48);
  for (const c of list) {
    const { q, k, v, options, want } = withPast(c);
    const r = reference(q, k, v, options);
    const tolerance = { F16: 2e-3, F32: 4e-7, F64: 1e-14 }[c.tensors.Y.dtype];
    near(r.output, [...want], tolerance, c.name);
    const scores = c.tensors.qk_matmul_output;
    const mode = outputModes[c.attributes.qk_matmul_output_mode ?? 0];
    if (scores) near(r[mode], [...scores.data], tolerance, `${c.name} scores`);
  }
});

test('the reference agrees with every ONNX softmax case', { skip: reason }, () => {
  const list = load(['Softmax', 'LogSoftmax']);
  assert.equal(list.length, 8);
  for (const c of list)
    for (const row of rowsOf(c).rows) {
      const x = F(...row.map((at) => c.tensors.input.data[at]));
      const r = reference(F(1), x, x, { headDim: 1 });
      const got = c.op === 'Softmax' ? r.weights : x.map((y) => y - r.lse[0]);
      near(
        got,
        row.map((at) => c.tensors.output.data[at]),
        4e-7,
        c.name,
      );
    }
});
