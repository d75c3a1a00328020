/** Statement 10: the heads of a layer are independent programs. */
import { compare, exact } from '../lab.js';
import { product } from '../textbook.js';
import { HEADS, MODEL, U32, head, ofAttention, ofProduct, quarters, summed } from './layer-data.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 */

/** @type {Comparison} */
export const independentHeads = {
  number: 10,
  shows: 0,
  run({ ch, m, seed }) {
    const make = quarters(seed + 10);
    const d = 16;
    const dv = 8;
    const wide = HEADS * dv;
    const x = make(m * MODEL, 1);
    const o = make(MODEL * wide);
    const other = make(MODEL * wide);
    const total = o.map((w, at) => w + other[at]);
    const weights = {
      q: make(HEADS * d * MODEL),
      k: make(HEADS * d * MODEL),
      v: make(wide * MODEL),
    };
    const biases = { qBias: make(HEADS * d, 1), kBias: make(HEADS * d, 1), vBias: make(wide, 1) };
    const oBias = make(MODEL, 1);
    const identity = (/** @type {number} */ n) =>
      Float32Array.from({ length: n * n }, (_, at) => +(at % (n + 1) === 0));
    /**
     * The part of head h in an array with the same number of rows for each head.
     * @param {Float32Array} a
     * @param {number} h
     */
    const share = (a, h) => a.subarray((a.length / HEADS) * h, (a.length / HEADS) * (h + 1));
    /** @param {any} given @param {any} [config] */
    const layer = (given, config) => {
      const made = ch.multiHead(
        { ...weights, ...biases, ...given },
        { modelDim: MODEL, heads: HEADS, headDim: d, valueDim: dv, ...config },
      );
      const { output } = made.forward(x, { causal: true });
      made.dispose();
      return output;
    };
    const programs = Array.from({ length: HEADS }, (_, h) => {
      const rows = (/** @type {'q' | 'k' | 'v'} */ name) =>
        product(x, share(weights[name], h), MODEL, share(biases[`${name}Bias`], h));
      return head(rows('q'), rows('k'), rows('v'), m);
    });
    const oneHeadLayers = programs.map((_, h) => {
      const own = Object.fromEntries(
        Object.entries({ ...weights, ...biases }).map(([name, a]) => [name, share(a, h)]),
      );
      return layer({ ...own, o: identity(dv) }, { heads: 1, outputs: dv });
    });
    const together = layer({ o: identity(wide) }, { outputs: wide });
    const whole = layer({ o, oBias }, { residual: true });
    const update = layer({ o, oBias });
    const one = layer({ o });
    const two = layer({ o: other });
    const both = layer({ o: total });
    const loops = /** @type {Element[]} */ ([]);
    const linear = /** @type {Element[]} */ ([]);
    for (let i = 0; i < m; i++) {
      const heads = programs.map((rows) => ({ y: rows[i].output, s: rows[i].magnitude }));
      const A = Math.max(...programs.map((rows) => rows[i].condition));
      const row = Float64Array.from(x.subarray(i * MODEL, (i + 1) * MODEL));
      const none = new Float64Array(MODEL);
      const sum = summed(
        o,
        dv,
        heads,
        row.map((a, c) => a + oBias[c]),
        row.map((a, c) => Math.abs(a) + Math.abs(oBias[c])),
      );
      // three products of the same o, each off by its own share
      const parts = [o, other, total].map((w) => summed(w, dv, heads, none, none).s);
      for (let c = 0; c < MODEL; c++) {
        const at = i * MODEL + c;
        loops.push([whole[at], sum.y[c], U32 * sum.s[c], ofAttention(A) + ofProduct(wide) + 1]);
        linear.push([
          both[at],
          one[at] + two[at],
          U32 * parts.reduce((units, s) => units + s[c], 0),
          ofProduct(wide),
        ]);
      }
    }
    return [
      compare('layer = x + b + Σ W_O,h·o_h, textbook loops', loops),
      compare('(W + W′)·o = W·o + W′·o', linear),
      exact(
        'each head among others = alone, bit for bit',
        oneHeadLayers.flatMap((_, h) => [
          ...together.filter((_, at) => Math.floor((at % wide) / dv) === h),
        ]),
        oneHeadLayers.flatMap((rows) => [...rows]),
      ),
      exact(
        'with the residual = x + without it, rounded once',
        whole,
        update.map((y, at) => y + x[at]),
      ),
    ];
  },
};
