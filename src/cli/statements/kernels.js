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
              output[(h * m + i) * dv + c],
              row.output[c],
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
    return exact(`grouped = repeated heads, bit for bit, ${type}`, a, b);
  });
}

/**
 * 6 as the note runs it, with queries and keys of length 1.
 * @param {Lab} lab
 * @param {DType} type
 */
export function equivalence(lab, type) {
  const { q, k, v } = unitInputs(lab, type);
  const options = { headDim: lab.d, valueDim: lab.dv, temperature: SIZES.T };
  return { type, ...lab.theory.kernelEquivalence(q, k, v, options) };
}

/**
 * Queries and keys of length 1, and values.
 * @param {Lab} lab
 * @param {DType} type
 */
function unitInputs({ m, n, d, dv, seed }, type) {
  const make = data(type, seed);
  return { q: unitRows(make(m * d), d), k: unitRows(make(n * d), d), v: make(n * dv) };
}

/**
 * Attention beside Gaussian smoothing, element by element, and the report of the library. theory.h
 * allows 16 + 8B units of each weight, and as many of an output's Σ W|v|. W is the larger of both.
 * @param {Lab} lab
 * @param {string} name
 * @param {{ q: any, k: any, v: any }} inputs
 * @param {import('../../js/theory/types.d.ts').GaussianOptions} options
 */
function smoothed({ ch, theory, m, n, d, dv }, name, { q, k, v }, options) {
  const { headDim, valueDim, temperature = 1 } = options;
  const soft = ch.attention(q, k, v, { headDim, valueDim, temperature, want: { weights: true } });
  const smooth = theory.gaussianWeights(q, k, v, options);
  const unit = UNIT[q instanceof Float32Array ? 'float32' : 'float64'];
  const length = (/** @type {any} */ x, /** @type {number} */ i) =>
    Math.hypot(...x.subarray(i * d, i * d + d));
  const longest = Math.max(...Array.from({ length: n }, (_, j) => length(k, j)));
  const units = Array.from(
    { length: m },
    (_, i) => 16 + (2 * (length(q, i) + longest) ** 2) / temperature,
  );
  const larger = soft.weights.map((/** @type {number} */ x, /** @type {number} */ at) =>
    Math.max(x, smooth.weights[at]),
  );
  const size = (/** @type {number} */ i, /** @type {number} */ c) =>
    v.reduce(
      (/** @type {number} */ sum, /** @type {number} */ x, /** @type {number} */ at) =>
        at % dv === c ? sum + larger[i * n + Math.floor(at / dv)] * Math.abs(x) : sum,
      0,
    );
  /** @type {Element[]} */
  const weights = Array.from(soft.weights, (x, at) => [
    x,
    smooth.weights[at],
    unit * larger[at],
    units[Math.floor(at / n)],
  ]);
  /** @type {Element[]} */
  const outputs = Array.from(soft.output, (x, at) => [
    x,
    smooth.output[at],
    unit * size(Math.floor(at / dv), at % dv),
    units[Math.floor(at / dv)],
  ]);
  return {
    report: theory.kernelEquivalence(q, k, v, options),
    parts: [
      compare(`weights = Gaussian smoothing’s, ${name}`, weights),
      compare(`output = Gaussian smoothing’s, ${name}`, outputs),
    ],
  };
}

/**
 * 6, and with keys of another norm, of any norms, and at another temperature.
 * @param {Lab} lab
 * @returns {Part[]}
 */
function equivalenceParts(lab) {
  const { theory, q, k, v, d, dv, T: temperature } = lab;
  const options = { headDim: d, valueDim: dv, temperature };
  const long = unitRows(k.slice(), d).map((x) => 3 * x);
  const cases = [
    ...TYPES.map((type) => {
      const inputs = unitInputs(lab, type);
      return smoothed(lab, `unit rows, ${type}`, inputs, { ...options, temperature: SIZES.T });
    }),
    smoothed(lab, 'keys of norm 3', { q, k: long, v }, options),
    smoothed(lab, 'norms restored', { q, k, v }, { ...options, restoreKeyNorm: true }),
  ];
  return [
    ...cases.flatMap(({ parts }) => parts),
    compare(
      'nearest to its limit by the library = by these',
      cases.flatMap(({ parts, report }) =>
        [report.weights, report.output].map(({ ratio }, at) => [ratio, parts[at].ratio, U, 64]),
      ),
    ),
    compare('σ² = T√d', [
      [
        theory.gaussianWeights(q, k, v, options).sigma2,
        temperature * Math.sqrt(d),
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
