/** Statement 16. */
import { U, apart, compare } from '../lab.js';

/** @typedef {import('../statements.js').Comparison} Comparison */

/** Units of float64 in one of float32. */
const SINGLE = 2 ** 29;
/** The change of a logit whose effect on the output is compared. */
const RISE = 0.75;

/** @type {Comparison} */
export const advantage = {
  number: 16,
  shows: 0,
  run({ ch, m, n, d, dv, T, make, q, k, v, rows }) {
    const up = make(m * dv);
    const zeros = new Float64Array(m * n);
    const options = { headDim: d, valueDim: dv, temperature: T };
    /** The gradients of ⟨x⟩ for the number x_j = ⟨up, v_j⟩ of each key: p_j(x_j − ⟨x⟩)/T. */
    const worths = rows.map(({ p, output }, i) =>
      p.map((weight, j) => {
        let sum = 0;
        for (let c = 0; c < dv; c++) sum += up[i * dv + c] * (v[j * dv + c] - output[c]);
        return (weight * sum) / T;
      }),
    );
    /** The size of their terms. @param {number} i @param {number} j */
    const sizeOf = (i, j) => {
      const { p, magnitude } = rows[i];
      let sum = 0;
      for (let c = 0; c < dv; c++)
        sum += Math.abs(up[i * dv + c]) * (Math.abs(v[j * dv + c]) + 3 * magnitude[c]);
      return (p[j] * sum) / T;
    };
    const gradientOf = (/** @type {Float32ArrayConstructor | Float64ArrayConstructor} */ Type) => {
      const [a, b, x, y] = [q, k, v, up].map((numbers) => new Type(numbers));
      const mask = { data: new Type(zeros), shape: [m, n] };
      const { dBias } = ch.attentionGradient(a, b, x, y, {
        ...options,
        mask,
        want: { dBias: true },
      });
      return Float64Array.from(/** @type {Float64Array} */ (dBias));
    };
    /** @param {Float64Array} found @param {number} units */
    const compared = (found, units) =>
      rows.flatMap(({ size }, i) =>
        Array.from(
          worths[i],
          (worth, j) =>
            /** @type {import('../lab.js').Element} */ ([
              found[i * n + j],
              worth,
              U * sizeOf(i, j),
              units * apart(size),
            ]),
        ),
      );

    // key j of row i for i = j, raised by a finite step: the output goes towards its value
    const data = zeros.map((_, at) => (Math.floor(at / n) === at % n ? RISE : 0));
    const raised = ch.attention(q, k, v, { ...options, mask: { data, shape: [m, n] } }).output;
    const moved = rows.flatMap(({ p, output, magnitude, size }, j) => {
      const gain = p[j] * Math.expm1(RISE / T);
      return Array.from({ length: dv }, (_, c) => {
        const step = (gain / (1 + gain)) * (v[j * dv + c] - output[c]);
        return /** @type {import('../lab.js').Element} */ ([
          raised[j * dv + c],
          output[c] + step,
          U * (magnitude[c] + Math.abs(v[j * dv + c])),
          4 * apart(size + RISE / T),
        ]);
      });
    });
    return [
      compare(
        'gradient of ⟨x⟩, x_j = ⟨y, v_j⟩, is p_j(x_j − ⟨x⟩)/T',
        compared(gradientOf(Float64Array), 2),
      ),
      compare('the same in float32', compared(gradientOf(Float32Array), 2 * SINGLE)),
      compare('output of a raised logit = o + share·(v_j − o)', moved),
    ];
  },
};
