/**
 * Statements 10 and 14, of the layers. Their data are small multiples of 1/4, and a position turns
 * by quarters of a circle. So every projection up to queries, keys and values is exact, in float32
 * as in float64: a sum of at most 32 products, twice over, is below 2²⁰ in sixteenths. Only
 * attention and the steps behind it round:
 *   attention, each head u·(8 + 4A)·Σp|v| (attn.h: ε·(4 + 2A), ε = 2u, A the size of the terms of
 *   the logits)
 *   a product over C numbers u·(33 + ⌈C/32⌉)·(Σ|w·o| + |b|) (layers.h), where |o| is at most Σp|v|
 *   the residual                u·(|x| + Σ|w·o| + |b|)
 * The first goes through W_O, which turns Σp|v| into the sums of the others. So they add up, in
 * units of u·(|x| + |b| + Σ|W_O|·Σp|v|).
 */
import { compare, exact } from '../lab.js';
import { normal, product, textbook, transposed } from '../textbook.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 */

/** The unit of rounding in float32. */
const U32 = 2 ** -24;
const MODEL = 32;
const HEADS = 4;

/** @param {number} seed */
function quarters(seed) {
  const next = normal(seed);
  return (/** @type {number} */ length, unit = 0.25) =>
    Float32Array.from({ length }, () => unit * Math.round(next()));
}

/** @param {number} columns */
const ofProduct = (columns) => 33 + Math.ceil(columns / 32);
/** @param {number} A */
const ofAttention = (A) => 8 + 4 * A;

/** @template {Float32Array | Float64Array} A @param {A} x @returns {A} */
const size = (x) => /** @type {A} */ (x.map(Math.abs));
/** @param {Float32Array} a @param {Float32Array} b */
const same = (a, b) => a.length === b.length && a.every((x, at) => Object.is(x, b[at]));

/**
 * Causal attention of one head, row by row.
 * @param {Float64Array} q
 * @param {Float64Array} k
 * @param {Float64Array} v
 * @param {number} m
 * @param {number} [scale]
 */
const head = (q, k, v, m, scale) =>
  Array.from({ length: m }, (_, i) =>
    textbook(q, k, v, {
      h: 0,
      kvHead: 0,
      i,
      keys: i + 1,
      m,
      n: m,
      d: q.length / m,
      dv: v.length / m,
      scale,
    }),
  );

/**
 * The columns of W_O that belong to head h.
 * @param {Float32Array} w (MODEL, HEADS·dv)
 * @param {number} h
 * @param {number} dv
 */
const columnsOf = (w, h, dv) => w.filter((_, at) => Math.floor((at % (HEADS * dv)) / dv) === h);

/**
 * The sums over heads of W_O,h·y_h and of |W_O,h|·s_h for one row, to which y and s are added.
 * @param {Float32Array} w
 * @param {number} dv
 * @param {{ y: Float64Array, s: Float64Array }[]} heads
 * @param {Float64Array} y
 * @param {Float64Array} s
 */
const summed = (w, dv, heads, y, s) =>
  heads.reduce(
    (sum, { y, s }, h) => {
      const columns = columnsOf(w, h, dv);
      const more = product(y, columns, dv);
      const larger = product(s, size(columns), dv);
      return { y: sum.y.map((x, c) => x + more[c]), s: sum.s.map((x, c) => x + larger[c]) };
    },
    { y, s },
  );

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
        loops.push([
          Math.abs(whole[at] - sum.y[c]),
          U32 * sum.s[c],
          ofAttention(A) + ofProduct(wide) + 1,
        ]);
        linear.push([
          Math.abs(both[at] - one[at] - two[at]),
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
        oneHeadLayers.every((rows, h) =>
          same(
            together.filter((_, at) => Math.floor((at % wide) / dv) === h),
            rows,
          ),
        ),
      ),
      exact(
        'with the residual = x + without it, rounded once',
        same(
          whole,
          update.map((y, at) => y + x[at]),
        ),
      ),
    ];
  },
};

/** @type {Comparison} */
export const latentKeys = {
  number: 14,
  shows: 0,
  run({ ch, m, seed }) {
    const make = quarters(seed + 14);
    const nope = 16;
    const rope = 8;
    const dim = nope + rope;
    const r = 24;
    const dv = 8;
    const kept = r + rope;
    const pairs = rope / 2;
    const x = make(m * MODEL, 1);
    const q = make(HEADS * dim * MODEL);
    const kvA = make(kept * MODEL);
    const kvB = make(HEADS * (nope + dv) * r);
    const o = make(MODEL * HEADS * dv);
    // position i turns pair p by i·(p + 1) quarters of a circle
    const turn = (/** @type {number[]} */ of) =>
      Float32Array.from(
        { length: m * pairs },
        (_, at) => of[(Math.floor(at / pairs) * ((at % pairs) + 1)) % 4],
      );
    const table = { dim: rope, cos: turn([1, 0, -1, 0]), sin: turn([0, 1, 0, -1]) };
    const shape = {
      modelDim: MODEL,
      heads: HEADS,
      kvLatent: r,
      nopeDim: nope,
      ropeDim: rope,
      valueDim: dv,
    };
    const layer = ch.latent({ q, kvA, kvB, o }, { ...shape, rope: table });
    const output = (/** @type {'expanded' | 'absorbed'} */ form) =>
      layer.forward(x, { causal: true, form }).output;
    const expanded = output('expanded');
    const absorbed = output('absorbed');
    const cache = layer.cache({ capacity: m });
    const step = (/** @type {number} */ i) => [
      ...layer.forward(x.subarray(i * MODEL, (i + 1) * MODEL), { causal: true, cache }).output,
    ];
    const steps = Float32Array.from(Array.from({ length: m }, (_, i) => step(i)).flat());
    const sizes = [
      cache.bytes / m,
      layer.bytesPerPosition.latent,
      layer.bytesPerPosition.multiHead,
    ];
    cache.dispose();
    layer.dispose();

    // compressed queries, whose norm scales by powers of 2
    const low = 12;
    const qA = make(low * MODEL);
    const qB = make(HEADS * dim * low);
    const powers = Float32Array.from({ length: low }, (_, j) => 2 ** ((j % 5) - 2));
    const compressed = (/** @type {Float32Array} */ qANorm, /** @type {Float32Array} */ up) => {
      const layer = ch.latent(
        { qA, qANorm, qB: up, kvA, kvB, o },
        { ...shape, queryLatent: low, rope: table },
      );
      const { output } = layer.forward(x, { causal: true });
      layer.dispose();
      return output;
    };
    const scaled = compressed(powers, qB);
    const moved = compressed(
      new Float32Array(low).fill(1),
      qB.map((y, at) => y * powers[at % low]),
    );

    /**
     * Rows of `width` numbers, the last of which, from `from` on, are turned.
     * @param {Float64Array} rows
     * @param {number} width
     * @param {number} from
     */
    const turned = (rows, width, from) =>
      rows.map((a, at) => {
        const i = Math.floor(at / width);
        const c = (at % width) - from;
        const p = i * pairs + (c % pairs);
        if (c < 0) return a;
        return c < pairs
          ? a * table.cos[p] - rows[at + pairs] * table.sin[p]
          : rows[at - pairs] * table.sin[p] + a * table.cos[p];
      });
    /**
     * Two arrays row by row, the second behind the first.
     * @param {Float64Array} a
     * @param {Float64Array} b
     */
    const beside = (a, b) => {
      const row = (/** @type {Float64Array} */ y, /** @type {number} */ i) => [
        ...y.subarray((y.length / m) * i, (y.length / m) * (i + 1)),
      ];
      return Float64Array.from(
        Array.from({ length: m }, (_, i) => [...row(a, i), ...row(b, i)]).flat(),
      );
    };
    /** Columns [from, to). @param {Float64Array} rows @param {number} from @param {number} to */
    const columns = (rows, from, to) =>
      rows.filter((_, at) => at % (rows.length / m) >= from && at % (rows.length / m) < to);

    const latents = turned(product(x, kvA, MODEL), kept, r);
    const c = columns(latents, 0, r);
    const keyR = columns(latents, r, kept);
    const programs = Array.from({ length: HEADS }, (_, h) => {
      const up = kvB.subarray(h * (nope + dv) * r, (h + 1) * (nope + dv) * r);
      const uk = up.subarray(0, nope * r);
      const uv = up.subarray(nope * r);
      const query = turned(
        product(x, q.subarray(h * dim * MODEL, (h + 1) * dim * MODEL), MODEL),
        dim,
        nope,
      );
      const inner = beside(
        product(columns(query, 0, nope), transposed(uk, r), nope),
        columns(query, nope, dim),
      );
      return {
        uv,
        whole: head(query, beside(product(c, uk, r), keyR), product(c, uv, r), m),
        inside: head(inner, latents, c, m, 1 / Math.sqrt(dim)),
      };
    });
    const left = /** @type {Element[]} */ ([]);
    const right = /** @type {Element[]} */ ([]);
    const between = /** @type {Element[]} */ ([]);
    for (let i = 0; i < m; i++) {
      const none = new Float64Array(MODEL);
      const worst = (/** @type {'whole' | 'inside'} */ form) =>
        Math.max(...programs.map((p) => p[form][i].condition));
      const values = programs.map(({ whole }) => ({ y: whole[i].output, s: whole[i].magnitude }));
      const sum = summed(o, dv, values, none, none);
      // Σp|c| goes through W_UV, a product more, and then is no less than Σp|W_UV·c|
      const means = programs.map(({ uv, inside }) => ({
        y: product(inside[i].output, uv, r),
        s: product(inside[i].magnitude, size(uv), r),
      }));
      const wider = summed(o, dv, means, none, none);
      const ofExpanded = ofAttention(worst('whole')) + ofProduct(HEADS * dv);
      const ofAbsorbed = ofAttention(worst('inside')) + ofProduct(r) + ofProduct(HEADS * dv);
      for (let c = 0; c < MODEL; c++) {
        const at = i * MODEL + c;
        left.push([Math.abs(expanded[at] - sum.y[c]), U32 * sum.s[c], ofExpanded]);
        right.push([Math.abs(absorbed[at] - wider.y[c]), U32 * wider.s[c], ofAbsorbed]);
        between.push([
          Math.abs(expanded[at] - absorbed[at]),
          U32 * wider.s[c],
          ofExpanded + ofAbsorbed,
        ]);
      }
    }
    return [
      compare('expanded = absorbed', between),
      compare('expanded = textbook loops over keys W_UK·c', left),
      compare('absorbed = textbook loops over latents c', right),
      exact('W_Q behind a norm scaled by 2ⁿ = W_Q scaled, bit for bit', same(scaled, moved)),
      exact('position by position over a cache = at once, bit for bit', same(steps, absorbed)),
      exact(
        'a cache keeps r + d_R numbers of a position, not H·(d + dv)',
        `${sizes}` === `${[4 * kept, 4 * kept, 4 * HEADS * (dim + dv)]}`,
      ),
    ];
  },
};
