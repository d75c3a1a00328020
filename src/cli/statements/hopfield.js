/** Statement 23. */
import { U, apart, compare, dot, elements, norm, stated } from '../lab.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 */

const STEPS = 6;

/** @type {Comparison} */
export const hopfield = {
  number: 23,
  run({ ch, theory, q, m, n, d, T, make }) {
    // keys of about length 2, so that several of them draw a state to themselves
    const keys = make(n * d).map((x) => (2 * x) / Math.sqrt(d));
    const runs = Array.from({ length: m }, (_, i) => {
      const xi = q.subarray(i * d, i * d + d);
      return { xi, ...theory.hopfield(xi, keys, { temperature: T, steps: STEPS }) };
    });
    const { output, lse } =
      /** @type {Required<import('../../js/types.d.ts').AttentionResult<Float64Array>>} */ (
        ch.attention(q, keys, keys, { headDim: d, scale: 1, temperature: T, want: { lse: true } })
      );
    const longest = Math.max(
      ...Array.from({ length: n }, (_, j) => norm(keys.subarray(j * d, j * d + d))),
    );
    const each = (/** @type {(x: typeof runs[0], i: number, units: number) => Element[]} */ f) =>
      runs.flatMap((x, i) => f(x, i, apart((longest * norm(x.xi)) / T)));
    return [
      stated('fall of E = Σ ½‖Δξ‖² + T·KL(p‖p′)', ...runs.map(({ identity }) => identity)),
      compare(
        'no step raises E',
        runs.map(({ minDrop, xi }) => [
          minDrop,
          Math.max(minDrop, 0),
          U * (T + (longest + norm(xi)) ** 2),
          32 + 32 * Math.log(n),
        ]),
      ),
      compare(
        'a step = attention with keys for values, scale 1',
        each(({ states }, i, units) =>
          elements(
            states.subarray(d, 2 * d),
            output.subarray(i * d, i * d + d),
            () => longest,
            units,
          ),
        ),
      ),
      compare(
        'E = ½‖ξ‖² − T·attention’s lse',
        each(({ energies, xi }, i, units) => [
          [energies[0], dot(xi, xi) / 2 - T * lse[i], U * (T + dot(xi, xi)), 2 * units + d],
        ]),
      ),
    ];
  },
};
