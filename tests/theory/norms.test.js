/** Statement 18: softmax is λ/2-Lipschitz in every norm. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { refuses, t, z as row } from '../support/theory/calls.js';
import { hessian } from '../support/theory/hessian.js';
import { logits, softmax, u, units } from '../support/theory/states.js';

const norm = (x, r) => {
  const max = Math.max(...x.map(Math.abs));
  if (r === Infinity || max === 0) return max;
  return max * x.reduce((sum, y) => sum + Math.abs(y / max) ** r, 0) ** (1 / r);
};
/** A change of the logits: of all of them, of one, towards another sign each, or none. */
const changeOf = (r, n, T) => {
  const scale = T * r.pick([1e-6, 0.1, 1, 20]);
  const at = r.integer(0, n - 1);
  return r.pick([
    (j) => scale * (j === at ? 1 : -1),
    (j) => scale * Number(j === at),
    () => scale * r.normal(),
    () => 0,
  ]);
};

for (const { variant, ch } of engines) {
  const { everyNorm } = await ch.theory;

  test(`no change moves the weights by more than λ/2 of it, in any norm (${variant})`, () => {
    for (const { r, n, z, T, name } of logits(82)) {
      const at = changeOf(r, n, T);
      const change = Float64Array.from({ length: n }, (_, j) => at(j));
      const exponents = Float64Array.of(1, 1 + r.uniform(), 2, 2 + 30 * r.uniform(), Infinity);
      const got = everyNorm(z, { temperature: T, change, exponents });
      assert.ok(got.holds, `${name}: ${got.ratios}`);
      assert.equal(got.bound, 1 / T / 2);
      assert.equal(got.maxRatio, Math.max(...got.ratios));
      const moved = softmax(
        z.map((x, j) => x + change[j]),
        T,
      ).p;
      const { p } = softmax(z, T);
      const dp = p.map((x, j) => moved[j] - x);
      // differences of weights, which a small change leaves with few digits
      const lost = u * (units(z, T) + units(moved, 1) + (8 * norm(z, Infinity)) / T) * n;
      for (const [x, exponent] of exponents.entries()) {
        const length = norm(change, exponent);
        const want = length > 0 ? norm(dp, exponent) / length : 0;
        const slack = length > 0 ? (4 * lost) / length + 64 * u * want * n : 0;
        assert.ok(Math.abs(got.ratios[x] - want) <= slack, `${name}, r = ${exponent}: ${want}`);
      }
    }
  });

  test(`the Jacobian’s norm in ℓ₁ and ℓ_∞ is 2λ·max p(1 − p) (${variant})`, () => {
    let worst = 0;
    for (const { n, z, T, name } of logits(83)) {
      const got = everyNorm(z, { temperature: T, change: new Float64Array(n) });
      const { p } = softmax(z, T);
      const sums = hessian(p, T).map((row) => row.reduce((sum, x) => sum + Math.abs(x), 0));
      const slack = (u * (units(z, T) + 4 * n)) / T;
      assert.ok(Math.abs(got.local - Math.max(...sums)) <= slack, `${name}: ${got.local}`);
      assert.ok(got.local <= got.bound * (1 + 16 * u), name);
      assert.ok(got.identity.holds, `${name}: ${JSON.stringify(got.identity)}`);
      worst = Math.max(worst, got.identity.difference / got.identity.allowed);
    }
    assert.ok(worst > 0.01, `within ${worst} of what is allowed`);
  });

  test(`a weight of ½ reaches λ/2 in ℓ₁ and ℓ_∞, and in ℓ₂ of two keys (${variant})`, () => {
    for (const n of [2, 3, 10, 1000])
      for (const T of [1e-3, 0.7, 1e3]) {
        const z = new Float64Array(n);
        z[n - 1] = T * Math.log(n - 1);
        const step = 1e-6 * T;
        const ratio = (r, at) =>
          everyNorm(z, {
            temperature: T,
            exponents: Float64Array.of(r),
            change: Float64Array.from({ length: n }, (_, j) => (j === n - 1 ? step : at)),
          });
        const near = (x) => Math.abs(x * 2 * T - 1) <= 1e-12 * n;
        const [one, two, infinity] = [ratio(1, 0), ratio(2, -step), ratio(Infinity, -step)];
        assert.ok(near(one.local) && near(one.ratios[0]), `n = ${n}, T = ${T}: ${one.ratios}`);
        assert.ok(near(infinity.ratios[0]), `n = ${n}, T = ${T}: ${infinity.ratios}`);
        assert.ok(n === 2 ? near(two.ratios[0]) : two.ratios[0] < 0.48 / T, `${n}: ${two.ratios}`);
      }
  });
}

test('exponents below 1 or none, and no change, are refused', () => {
  const norm = (exponents) => t.everyNorm(row, { change: row, exponents });
  for (const x of [0.5, 0, -Infinity, NaN])
    refuses(`an exponent of ${x}`, 'RANGE', 'exponents', () => norm(Float64Array.of(2, x)));
  refuses('no exponent', 'SHAPE', 'exponents', () => norm(new Float64Array(0)));
  refuses('exponents in a list', 'ARG', 'exponents', () => norm([1, 2]));
  refuses('no change', 'ARG', 'change', () => t.everyNorm(row));
});
