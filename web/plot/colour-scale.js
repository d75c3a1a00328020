/**
 * The meaning of a colour. A colour scale maps a weight (and the number of keys its row may read)
 * to a place t in [0, 1] on a ramp. The legend is drawn from the same object, so the two cannot
 * disagree.
 */
import { powerOfTen, short } from './format.js';

/** @typedef {import('./colour.js').Ramp} Ramp */
/** @typedef {import('./scale.js').Tick} Tick */
/** @typedef {'linear' | 'sqrt' | 'log' | 'uniform' | 'share' | 'value' | 'magnitude'} ColourKind */

/**
 * @typedef {object} ColourScale
 * @property {ColourKind} kind
 * @property {Ramp} ramp
 * @property {string} title
 * @property {string} [detail] the rest of the title, for readers who want to understand
 * @property {readonly [number, number]} domain of `value`
 * @property {(weight: number, count: number) => number} value the coloured number: p, log₂(p·n),
 *   p·log(p·n)…
 * @property {(value: number) => number} t
 * @property {readonly Tick[]} ticks
 */

export const KIND_NAMES = {
  sqrt: 'weight',
  linear: 'linear',
  log: 'log',
  uniform: '× uniform',
  share: 'KL share',
  value: 'weight × value',
};
/** Those for readers who want to understand. @type {readonly (keyof typeof KIND_NAMES)[]} */
export const DEEP_KINDS = ['linear', 'log', 'uniform', 'share'];

/** @typedef {Exclude<ColourKind, 'magnitude'>} WeightKind */
/** @typedef {{ weights: ArrayLike<number>, cols: number, counts: ArrayLike<number> }} WeightMap */

/**
 * The scale of one kind over weights (several maps may share it). `counts` are the keys each row
 * may read. With 'value' the weights are multiplied by the lengths of their values already.
 * @param {WeightKind} kind @param {Iterable<WeightMap>} maps
 * @returns {ColourScale}
 */
export function weightScale(kind, maps) {
  const { top, ratio, below, above } = extremes(maps, kind === 'share');
  if (kind === 'uniform') return uniformScale(ratio);
  if (kind === 'share')
    return shareScale(below < -NO_SHARE ? below : -1, above > NO_SHARE ? above : 1);
  if (kind === 'log') return LOGARITHMIC;
  const root = kind !== 'linear';
  const ticks = [0, 0.25, 0.5, 0.75, 1]
    .map((f) => (root ? f * f : f) * top)
    .map((v) => ({ value: v, label: short(v) }));
  return {
    kind,
    ramp: 'weights',
    title: TITLES[kind],
    detail: root ? ', square-root scale' : '',
    domain: [0, top],
    value: (p) => p,
    t: root ? (p) => Math.sqrt(p / top) : (p) => p / top,
    ticks,
  };
}

/** Shares of weights that are alike are the roundings of float32, and no scale is made of them. */
const NO_SHARE = 2 ** -20;

const TITLES = {
  linear: 'weight',
  sqrt: 'weight',
  value: 'weight times the length of its value',
};

/**
 * The largest weight, as it is and as a multiple of its row's uniform one. The limits of shares.
 * @param {Iterable<WeightMap>} maps @param {boolean} shares whether those are asked for
 */
function extremes(maps, shares) {
  let top = 0;
  let ratio = 1;
  let below = 0;
  let above = 0;
  for (const { weights, cols, counts } of maps) {
    for (let at = 0, i = 0; at < weights.length; i++) {
      const n = counts[i];
      for (let j = 0; j < cols; j++, at++) {
        const p = weights[at];
        if (!(p > 0 && p < Infinity)) continue;
        if (p > top) top = p;
        if (p * n > ratio) ratio = p * n;
        if (!shares) continue;
        const share = p * Math.log(p * n);
        below = Math.min(below, share);
        above = Math.max(above, share);
      }
    }
  }
  return { top: top || 1, ratio, below, above };
}

/**
 * From 1/2^M to 2^M times the uniform weight. Weights below are shown as 1/2^M, and the lowest
 * tick says so.
 * @param {number} ratio the largest
 */
function uniformScale(ratio) {
  const M = Math.max(1, Math.ceil(Math.log2(ratio) - 1e-9));
  const step = Math.max(1, Math.ceil(M / 3));
  const ticks = [];
  for (let e = -M; e <= M; e++) {
    if (Math.abs(e) % step && Math.abs(e) !== M) continue;
    if (Math.abs(e) !== M && M - Math.abs(e) < step) continue;
    ticks.push({
      value: e,
      label: e === -M ? `≤ 1/${2 ** M}` : e < 0 ? `1/${2 ** -e}` : String(2 ** e),
    });
  }
  return diverging(
    'uniform',
    'weight as a multiple of the row’s uniform weight',
    [-M, M],
    (p, n) => Math.log2(p * n),
    ticks,
  );
}

/**
 * Shares lie between −1/(e·n) and log n. On one scale for both signs, negative ones would look like
 * zero.
 * @param {number} low @param {number} high
 */
const shareScale = (low, high) =>
  diverging(
    'share',
    'p·log(p·n), each sign to its own scale; a row adds up to its commitment, in nats',
    [low, high],
    (p, n) => (p > 0 ? p * Math.log(p * n) : p),
    [low, 0, high / 2, high].map((value) => ({ value, label: short(value) })),
  );

/** @type {ColourScale} */
const LOGARITHMIC = {
  kind: 'log',
  ramp: 'weights',
  title: 'weight, logarithmic',
  domain: [1e-5, 1],
  value: (p) => p,
  t: (p) => (p > 0 ? (Math.log10(p) + 5) / 5 : p),
  ticks: [-5, -4, -3, -2, -1, 0].map((e) => ({
    value: 10 ** e,
    label: e === -5 ? `≤ ${powerOfTen(e)}` : powerOfTen(e),
  })),
};

/**
 * Weights between the smallest and the largest that occur, for maps that are nearly flat.
 * @param {readonly [number, number]} domain @returns {ColourScale}
 */
export function stretchedScale(domain) {
  const [low, high] = domain;
  const span = high - low || 1;
  const ticks = [low, (low + high) / 2, high].map((value) => ({ value, label: short(value) }));
  return {
    kind: 'linear',
    ramp: 'weights',
    title: 'weight',
    domain,
    value: (p) => p,
    t: (p) => (p - low) / span,
    ticks,
  };
}

/**
 * |Δ| on a log scale, whole decades; exact zeros are the paper.
 * @param {readonly [number, number]} domain
 * @returns {ColourScale}
 */
export function magnitudeScale(domain) {
  let low = Math.floor(Math.log10(domain[0]));
  let high = Math.ceil(Math.log10(domain[1]));
  if (high - low < 2) high = low + 2;
  const cut = high - low > 8;
  if (cut) low = high - 8;
  const step = Math.ceil((high - low) / 4);
  const ticks = [];
  for (let e = high; e >= low; e -= step) {
    const below = cut && e === low ? '≤ ' : '';
    ticks.unshift({ value: 10 ** e, label: below + powerOfTen(e) });
  }
  const t = (/** @type {number} */ x) =>
    x === 0 ? 0 : 0.08 + 0.92 * Math.min(1, Math.max(0, (Math.log10(x) - low) / (high - low)));
  return {
    kind: 'magnitude',
    ramp: 'weights',
    title: 'difference of a weight, logarithmic; exact agreement is left blank',
    domain: [10 ** low, 10 ** high],
    value: Math.abs,
    t,
    ticks,
  };
}

/**
 * 0 is the middle of the ramp, and each end of the domain an end of it.
 * @param {ColourKind} kind @param {string} title @param {readonly [number, number]} domain
 * @param {(p: number, n: number) => number} value @param {readonly Tick[]} ticks
 * @returns {ColourScale}
 */
const diverging = (kind, title, domain, value, ticks) => ({
  kind,
  ramp: 'difference',
  title,
  domain,
  value,
  t: (x) => 0.5 + (0.5 * x) / (x < 0 ? -domain[0] : domain[1]),
  ticks,
});
