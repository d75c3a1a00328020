/**
 * Statement 6: softmax attention is Gaussian smoothing with σ² = T√d, when the keys have one norm
 * or the factor is restored.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { bench } from '../support/faults.js';
import { random } from '../support/random.js';
import { LARGE, STATES, queries } from '../support/theory/states.js';

/** Rows of normal numbers, of norm 1 if asked. */
function rows(r, count, size, unit, Type) {
  const a = new Type(count * size);
  for (let i = 0; i < count; i++) {
    const row = Array.from({ length: size }, () => r.normal());
    const norm = unit ? Math.hypot(...row) : 1;
    row.forEach((x, c) => (a[i * size + c] = x / norm));
  }
  return a;
}

/**
 * exp(−‖q − k‖²/2σ²) from differences, normalised by row, in float64; optionally times
 * exp(‖k‖²/2σ²).
 */
function gaussian(q, k, v, d, dv, sigma2, restore) {
  const m = q.length / d;
  const n = k.length / d;
  const weights = new Float64Array(m * n);
  const output = new Float64Array(m * dv);
  for (let i = 0; i < m; i++) {
    const exponents = Array.from({ length: n }, (_, j) => {
      let distance = 0;
      let norm = 0;
      for (let c = 0; c < d; c++) {
        distance += (q[i * d + c] - k[j * d + c]) ** 2;
        norm += k[j * d + c] ** 2;
      }
      return (restore ? norm - distance : -distance) / (2 * sigma2);
    });
    const top = Math.max(...exponents);
    const e = exponents.map((x) => Math.exp(x - top));
    const total = e.reduce((a, b) => a + b);
    for (let j = 0; j < n; j++) {
      weights[i * n + j] = e[j] / total;
      for (let c = 0; c < dv; c++) output[i * dv + c] += (e[j] / total) * v[j * dv + c];
    }
  }
  return { weights, output };
}

const types = { float32: [Float32Array, 2 ** -23], float64: [Float64Array, 2 ** -52] };
const far = (a, b) => a.reduce((worst, x, i) => Math.max(worst, Math.abs(x - b[i])), 0);

for (const { variant, ch } of engines) {
  const statements = await ch.theory;
  for (const [precision, [Type, epsilon]] of Object.entries(types)) {
    const claim = (name, body) => test(`${name} (${precision}, ${variant})`, body);

    claim(
      'the identity holds at the reference magnitudes for n = m = 32, d = 64, dv = 16, T = 1',
      (t) => {
        const r = random(6);
        const q = rows(r, 32, 64, true, Type);
        const k = rows(r, 32, 64, true, Type);
        const v = rows(r, 32, 16, false, Type);
        const { sigma2, weights, output, holds } = statements.kernelEquivalence(q, k, v, {
          headDim: 64,
          valueDim: 16,
        });
        assert.deepEqual([sigma2, holds], [8, true]);
        assert.ok(weights.ratio <= 1 && output.ratio <= 1);
        // the design's figures are one run's; another seed may double them
        const scale = epsilon / 2 ** -52;
        assert.ok(
          weights.max <= 4e-17 * scale && weights.frobenius <= 4e-16 * scale,
          `ΔW ${weights.max}, ${weights.frobenius}`,
        );
        assert.ok(
          output.max <= 8e-16 * scale && output.frobenius <= 4e-15 * scale,
          `ΔO ${output.max}, ${output.frobenius}`,
        );
        t.diagnostic(
          `max|ΔW| ${weights.max.toExponential(2)}, ‖ΔW‖ ` +
            `${weights.frobenius.toExponential(2)}, max|ΔO| ${output.max.toExponential(2)}, ` +
            `‖ΔO‖ ${output.frobenius.toExponential(2)}`,
        );
      },
    );

    claim(
      'Gaussian weights and smoothing are those of the distances, for any sizes and temperatures',
      () => {
        for (const [m, n, d, dv] of [
          [1, 1, 1, 1],
          [5, 7, 3, 2],
          [32, 32, 64, 16],
          [3, 130, 17, 5],
        ])
          for (const temperature of [0.1, 1, 7])
            for (const restoreKeyNorm of [false, true]) {
              const r = random(n);
              const q = rows(r, m, d, false, Type);
              const k = rows(r, n, d, false, Type);
              const v = rows(r, n, dv, false, Type);
              const got = statements.gaussianWeights(q, k, v, {
                headDim: d,
                valueDim: dv,
                temperature,
                restoreKeyNorm,
              });
              const want = gaussian(q, k, v, d, dv, temperature * Math.sqrt(d), restoreKeyNorm);
              const B = (4 * d) / (temperature * Math.sqrt(d));
              assert.equal(got.sigma2, temperature * Math.sqrt(d));
              assert.ok(
                far(got.weights, want.weights) <= 4 * epsilon * (2 + B) &&
                  far(got.output, want.output) <= 16 * epsilon * (2 + B),
                `n = ${n}, d = ${d}, T = ${temperature}: ${far(got.weights, want.weights)}`,
              );
              assert.equal(
                statements.gaussianWeights(q, k, null, { headDim: d, temperature }).output,
                undefined,
              );
            }
      },
    );

    claim('it holds for keys of one norm or with norms restored, any query and temperature', () => {
      let worst = 0;
      let states = 0;
      for (const { q, k, v, r, n, d, dv, T, name } of queries(60)) {
        const norm = r.pick([0.1, 1, 1, 5]);
        const equal = k.slice();
        const options = { headDim: d, valueDim: dv, temperature: T };
        for (let j = 0; j < n; j++) {
          const length = Math.hypot(...k.subarray(j * d, j * d + d));
          for (let c = 0; c < d; c++) equal[j * d + c] *= norm / length;
        }
        for (const [keys, restoreKeyNorm] of [
          [equal, false],
          [k, true],
        ]) {
          const got = statements.kernelEquivalence(Type.from(q), Type.from(keys), Type.from(v), {
            ...options,
            restoreKeyNorm,
          });
          // rounding the keys to float32 leaves them of one norm to its unit only, which 2B units
          // of a weight stand for
          assert.ok(
            got.holds,
            `${name}, norm ${restoreKeyNorm ? 'any' : norm}, T = ${T}: ` +
              `${got.weights.ratio}, ${got.output.ratio}`,
          );
          worst = Math.max(worst, got.weights.ratio, got.output.ratio);
          states++;
        }
      }
      assert.ok(states === 2 * STATES && worst > 0.1, `within ${worst} of what is allowed`);
    });

    claim('it holds for any number of keys: near ones, far ones, and one among equal ones', () => {
      for (const n of LARGE)
        for (const d of [1, 8]) {
          const r = random(n + d);
          const q = rows(r, 2, d, false, Type);
          const v = rows(r, n, 1, false, Type);
          const k = rows(r, n, d, false, Type);
          const options = { headDim: d, valueDim: 1, temperature: 0.5, restoreKeyNorm: true };
          const lone = k.map((_, at) => (at < d ? q[at] : 0.25));
          const close = k.map((x) => x / 100);
          for (const [name, keys] of Object.entries({ k, lone, close })) {
            const { holds, weights, output } = statements.kernelEquivalence(q, keys, v, options);
            assert.ok(holds, `n = ${n}, d = ${d}, ${name}: ${weights.ratio}, ${output.ratio}`);
          }
        }
    });

    claim(
      'where squares leave the type nothing holds, and numbers that are not finite are refused',
      () => {
        const one = Type.of(1);
        const huge = Type.of(Type === Float32Array ? 1e30 : 1e200);
        const holds = (q, k) => statements.kernelEquivalence(q, k, one, { headDim: 1 }).holds;
        assert.equal(holds(one, huge), false);
        assert.equal(holds(huge, one), false);
        // the distance is 0, and attention computes this product of floats in double
        assert.equal(holds(huge, huge), Type === Float32Array);
        for (const temperature of [1e-310, 5e-324])
          assert.throws(
            () => statements.kernelEquivalence(one, one, one, { headDim: 1, temperature }),
            { code: 'RANGE', message: /^temperature / },
          );
        // 2σ² is no float32
        const { weights } = statements.gaussianWeights(one, Type.of(1, 2), null, {
          headDim: 1,
          temperature: 1e-50,
        });
        assert.deepEqual([...weights], [1, 0]);
      },
    );

    claim('keys of unequal norm break the identity, and the restored factor mends it', () => {
      for (let seed = 1; seed <= 20; seed++) {
        const r = random(seed);
        const q = rows(r, 9, 16, false, Type);
        const k = rows(r, 20, 16, false, Type);
        const v = rows(r, 20, 4, false, Type);
        const options = { headDim: 16, valueDim: 4, temperature: 0.5 + r.uniform() };
        const broken = statements.kernelEquivalence(q, k, v, options);
        const mended = statements.kernelEquivalence(q, k, v, { ...options, restoreKeyNorm: true });
        assert.ok(!broken.holds && broken.weights.max > 1e-2, `seed ${seed}: holds by accident`);
        assert.ok(
          mended.holds,
          `seed ${seed}: ΔW at ${mended.weights.ratio} of what rounding allows`,
        );
      }
    });
  }
}

test('input outside the Gaussian view is refused', async () => {
  const { ch } = engines[0];
  const { refuses } = bench(ch);
  const statements = await ch.theory;
  const a = new Float32Array(8);
  const theory =
    (options, k = a, v = a) =>
    () =>
      statements.gaussianWeights(a, k, v, { headDim: 4, ...options });
  for (const temperature of [0, -1, NaN, Infinity])
    refuses(`T = ${temperature}`, 'RANGE', 'temperature', theory({ temperature }));
  for (const headDim of [0, 1.5, NaN, 2 ** 31])
    refuses(`headDim ${headDim}`, 'RANGE', 'headDim', theory({ headDim }));
  refuses('a long k', 'SHAPE', 'k', theory({}, new Float32Array(9)));
  refuses('a long v', 'SHAPE', 'v', theory({}, a, new Float32Array(9)));
  refuses('mixed types', 'ARG', 'k', theory({}, new Float64Array(8)));
  refuses('an unknown option', 'ARG', 'scale', theory({ scale: 1 }));
});
