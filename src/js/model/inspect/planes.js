/** Comparison of two sets of prompts, head by head. */
import { corrected, mannWhitney } from './rank-test.js';

/**
 * @typedef {import('./heads-types.d.ts').HeadPlane} HeadPlane
 * @typedef {'holm' | 'benjamini-hochberg'} Correction
 * @typedef {{ rho: Float64Array[], chi: Float64Array[] }} Samples of each head, over prompts
 */

/** @type {readonly ['rho', 'chi']} */
const STATISTICS = ['rho', 'chi'];

/**
 * @param {(statistic: 'rho' | 'chi') => ArrayLike<number>} f
 * @returns {HeadPlane}
 */
const plane = (f) => ({ rho: Float64Array.from(f('rho')), chi: Float64Array.from(f('chi')) });

const mean = (/** @type {Float64Array} */ x) => x.reduce((sum, y) => sum + y, 0) / x.length;

/**
 * Means, differences and p-values of all heads. All p-values are corrected together: those
 * of both statistics, in all heads.
 * @param {Samples} a
 * @param {Samples} b
 * @param {Correction} correction
 */
export function comparePlanes(a, b, correction) {
  const means = [a, b].map((samples) => plane((name) => samples[name].map(mean)));
  const p = plane((name) => a[name].map((x, head) => mannWhitney(x, b[name][head])));
  const adjusted = corrected([...p.rho, ...p.chi], correction);
  const count = p.rho.length;
  return {
    a: means[0],
    b: means[1],
    difference: plane((name) => means[1][name].map((x, head) => x - means[0][name][head])),
    p,
    adjusted: { rho: adjusted.slice(0, count), chi: adjusted.slice(count) },
  };
}

/**
 * The heads with a corrected p-value of at most `level`, the clearest first.
 * @param {HeadPlane} adjusted
 * @param {number} heads of a layer
 * @param {number} level
 */
export function headsFound(adjusted, heads, level) {
  return Array.from(adjusted.rho, (rho, at) => ({
    layer: Math.floor(at / heads),
    head: at % heads,
    adjusted: Math.min(...STATISTICS.map((name) => adjusted[name][at])),
  }))
    .filter((head) => head.adjusted <= level)
    .sort((x, y) => x.adjusted - y.adjusted);
}
