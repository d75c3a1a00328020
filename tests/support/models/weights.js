/** Widths, inputs and scales for matrices of every weight type. */
import { TYPES, isFloat } from './blocks.js';

export const names = Object.keys(TYPES);
export const quantizedNames = names.filter((name) => !isFloat(name));
export const widths = (name) =>
  isFloat(name)
    ? [1, 31, 300, 1100]
    : TYPES[name].block === 32
      ? [32, 96, 800, 1568]
      : [256, 768, 1536];
export const normal = (r, count, size = 1) =>
  Float32Array.from({ length: count }, () => r.normal() * size);

/**
 * Scales that break conversions: subnormal, the smallest, the largest, zero, negative, ordinary.
 */
export const oddScales = (r) => () =>
  r.pick([0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0, 0x8000, 0x2e66, 0xae66]);

/** Inputs whose blocks are hard to quantise. */
export const inputs = {
  normal: (r, count) => normal(r, count),
  'one spike in each block': (r, count) =>
    normal(r, count).map((x, c) => (c % 32 === 7 ? 1000 * x : x)),
  'ties and whole steps': (r, count) =>
    Float32Array.from({ length: count }, (_, c) => (c % 32 ? r.integer(-254, 254) / 2 : 127)),
  'zero blocks': (r, count) => normal(r, count).map((x, c) => (c % 64 < 32 ? 0 : x)),
  'tiny blocks': (r, count) => normal(r, count, 1e-37).map((x, c) => (c % 96 < 32 ? x : x * 1e30)),
  'near the largest': (r, count) => normal(r, count, 1e33),
  'all alike': (r, count) => new Float32Array(count).fill(r.normal()),
};
