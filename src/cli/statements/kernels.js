/**
 * The statements that are checked with the attention kernels themselves: 1 and 11 over several
 * heads, 6 in both types.
 */
import { SIZES, U, compare, exact } from '../lab.js';
import { normal, textbook, unitRows } from '../textbook.js';

/**
 * @typedef {import('../lab.js').Lab} Lab
 * @typedef {import('../lab.js').Part} Part
 * @typedef {import('../lab.js').Element} Element
 */
/** @typedef {'float64' | 'float32'} DType */

const HEADS = 8;
/** The unit of rounding of each type. */
const UNIT = { float64: U, float32: 2 ** -24 };
const TYPES = /** @type {DType[]} */ (['float64', 'float32']);

/** @param {DType} type @param {number} seed */
function data(type, seed) {
  const Floats = type === 'float64' ? Float64Array : Float32Array;
  const next = normal(seed);
  return (/** @type {number} */ length) => /** @type {any} */ (Floats).from({ length }, next);
}

/**
 * Causal multi-head or grouped-query attention.
 * @param {Lab} lab
 * @param {DType} type
 * @param {number} kvHeads
 */
function heads({ ch, m, n, d, dv, seed }, type, kvHeads) {
  const make = data(type, seed);
  const q = make(HEADS * m * d);
  const k = make(kvHeads * n * d);
  const v = make(kvHeads * n * dv);
  const options = { heads: HEADS, headDim: d, valueDim: dv, causal: true };
  const repeat = (/** @type {any} */ x, /** @type {number} */ size) =>
    x.constructor.from(
      { length: HEADS * n * size },
      (/** @type {unknown} */ _, /** @type {number} */ at) => {
        const h = Math.floor(at / (n * size));
        return x[Math.floor(h / (HEADS / kvHeads)) * n * size + (at % (n * size))];
      },
    );
  return {
    q,
    k,
    v,
    grouped: () => ch.attention(q, k, v, { ...options, kvHeads }).output,
    repeated: () => ch.attention(q, repeat(k, d), repeat(v, dv), options).output,
  };
}

/**
 * 1: the kernels against loops that share nothing with them, by the rule for random data
 * |Δ| ≤ ε·Σp|v|·(4 + 2A), ε = 2u.
 * @param {Lab} lab
 * @returns {Part[]}
 */
function attentionParts(lab) {
  const { m, n, d, dv } = lab;
  return TYPES.flatMap((type) =>
    [
      ['multi-head', HEADS],
      ['grouped', 2],
    ].map(([name, groups]) => {
      const kvHeads = Number(groups);
      const { q, k, v, grouped } = heads(lab, type, kvHeads);
      const output = grouped();
      /** @type {Element[]} */
      const elements = [];
      for (let h = 0; h < HEADS; h++)
        for (let i = 0; i < m; i++) {
          const row = textbook(q, k, v, {
            h,
            kvHead: Math.floor(h / (HEADS / kvHeads)),
            i,
            keys: i + 1,
            m,
            n,
            d,
            dv,
          });
          for (let c = 0; c < dv; c++)
            elements.push([
              Math.abs(output[(h * m + i) * dv + c] - row.output[c]),
              UNIT[type] * row.magnitude[c],
              8 + 4 * row.condition,
            ]);
        }
      return compare(`${name} ${type} = textbook loops`, elements);
    }),
  );
}

/**
 * 11: grouped heads against plain heads with the keys and values repeated.
 * @param {Lab} lab
 * @returns {Part[]}
 */
function groupedParts(lab) {
  return TYPES.map((type) => {
    const { grouped, repeated } = heads(lab, type, 2);
    const a = grouped();
    const b = repeated();
    return exact(
      `grouped = repeated heads, bit for bit, ${type}`,
      Array.from(a).every((x, at) => Object.is(x, b[at])),
    );
  });
}

/**
 * 6 as the note runs it, with queries and keys of length 1.
 * @param {Lab} lab
 * @param {DType} type
 */
export function equivalence({ theory, m, n, d, dv, seed }, type) {
  const make = data(type, seed);
  const q = unitRows(make(m * d), d);
  const k = unitRows(make(n * d), d);
  const v = make(n * dv);
  return {
    type,
    ...theory.kernelEquivalence(q, k, v, { headDim: d, valueDim: dv, temperature: SIZES.T }),
  };
}

/**
 * 6, and with keys of another norm, of any norms, and at another temperature.
 * @param {Lab} lab
 * @returns {Part[]}
 */
function equivalenceParts(lab) {
  const { theory, q, k, v, d, dv, T: temperature } = lab;
  const long = unitRows(k.slice(), d).map((x) => 3 * x);
  const options = { headDim: d, valueDim: dv, temperature };
  const longest = (/** @type {Float64Array} */ x) =>
    Math.max(
      ...Array.from({ length: x.length / d }, (_, i) =>
        Math.hypot(...x.subarray(i * d, i * d + d)),
      ),
    );
  /**
   * theory.h allows 16 + 8B units of each weight and of an output's Σ W|v|. The largest allowance
   * is shown, and each element is compared with its own.
   */
  const part = (
    /** @type {string} */ sides,
    /** @type {number} */ B,
    /** @type {any} */ { weights, output },
  ) =>
    compare(
      sides,
      [weights.ratio, output.ratio].map((ratio) => [ratio * (16 + 8 * B), 1, 16 + 8 * B]),
    );
  const reach = (/** @type {Float64Array} */ keys) =>
    (longest(q) + longest(keys)) ** 2 / (4 * temperature);
  return [
    ...TYPES.map((type) =>
      part(
        `attention = Gaussian smoothing, unit rows, ${type}`,
        1 / SIZES.T,
        equivalence(lab, type),
      ),
    ),
    part(
      'attention = Gaussian smoothing, keys of norm 3',
      reach(long),
      theory.kernelEquivalence(q, long, v, options),
    ),
    part(
      'attention = Gaussian smoothing, norms restored',
      reach(k),
      theory.kernelEquivalence(q, k, v, { ...options, restoreKeyNorm: true }),
    ),
    compare('σ² = T√d', [
      [
        Math.abs(theory.gaussianWeights(q, k, v, options).sigma2 - temperature * Math.sqrt(d)),
        U * temperature * Math.sqrt(d),
        1,
      ],
    ]),
  ];
}

/** @typedef {import('../statements.js').Comparison} Comparison */

/** @type {Comparison} */
export const attention = {
  number: 1,
  run: attentionParts,
};

/** @type {Comparison} */
export const kernelEquivalence = {
  number: 6,
  run: equivalenceParts,
};

/** @type {Comparison} */
export const grouped = {
  number: 11,
  run: groupedParts,
};
