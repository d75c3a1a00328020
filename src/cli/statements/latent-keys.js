/** Statement 14: latent keys give the same output expanded and absorbed. */
import { compare, exact } from '../lab.js';
import { product, transposed } from '../textbook.js';
import {
  HEADS,
  MODEL,
  U32,
  head,
  ofAttention,
  ofProduct,
  quarters,
  same,
  size,
  summed,
} from './layer-data.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 */

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
