/** Scales map a domain to a range (usually pixels) and know their ticks. */
import { powerOfTen, short } from './format.js';

/**
 * @typedef {object} Tick
 * @property {number} value
 * @property {string} label
 *
 * @typedef {object} Scale
 * @property {readonly [number, number]} domain
 * @property {readonly [number, number]} range
 * @property {(value: number) => number} at
 * @property {(place: number) => number} invert
 * @property {(count?: number) => Tick[]} ticks
 */

/**
 * @param {readonly [number, number]} domain
 * @param {readonly [number, number]} range
 * @returns {Scale}
 */
export function linear(domain, range) {
  const [low, high] = domain;
  const span = high - low || 1;
  return {
    domain,
    range,
    at: (value) => range[0] + ((value - low) / span) * (range[1] - range[0]),
    invert: (place) => low + ((place - range[0]) / (range[1] - range[0] || 1)) * span,
    ticks: (count = 5) => {
      const step = niceStep(span / count);
      const first = Math.ceil(low / step - 1e-9);
      const last = Math.floor(high / step + 1e-9);
      const ticks = [];
      for (let i = first; i <= last; i++) {
        const value = Number((i * step).toPrecision(12));
        ticks.push({ value, label: short(value, 6) });
      }
      return ticks;
    },
  };
}

/**
 * Domain above 0. Ticks at powers of ten, thinned to about `count`.
 * @param {readonly [number, number]} domain
 * @param {readonly [number, number]} range
 * @returns {Scale}
 */
export function log(domain, range) {
  const low = Math.log10(domain[0]);
  const high = Math.log10(domain[1]);
  const span = high - low || 1;
  return {
    domain,
    range,
    at: (value) => range[0] + ((Math.log10(value) - low) / span) * (range[1] - range[0]),
    invert: (place) => 10 ** (low + ((place - range[0]) / (range[1] - range[0] || 1)) * span),
    ticks: (count = 5) => {
      const first = Math.ceil(low - 1e-9);
      const last = Math.floor(high + 1e-9);
      const step = Math.max(1, Math.ceil((last - first + 1) / count));
      const ticks = [];
      for (let e = last; e >= first; e -= step)
        ticks.unshift({ value: 10 ** e, label: powerOfTen(e) });
      return ticks;
    },
  };
}

/**
 * For values given as their decimal logarithms, which may be far below the smallest number; ticks
 * are whole decades.
 * @param {readonly [number, number]} domain
 * @param {readonly [number, number]} range
 * @returns {Scale}
 */
export function logOfLog(domain, range) {
  const scale = linear(domain, range);
  const whole = (/** @type {number} */ count) =>
    scale.ticks(count).filter(({ value }) => Number.isInteger(value));
  return {
    ...scale,
    ticks: (count = 5) => whole(count).map(({ value }) => ({ value, label: powerOfTen(value) })),
  };
}

/** 1, 2 or 5 times a power of ten, at least `rough`. @param {number} rough */
export function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
}

/**
 * Smallest and largest finite number, or [0, 1] if there is none.
 * @param {Iterable<number>} values
 * @returns {[number, number]}
 */
export function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}
