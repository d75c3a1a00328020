/**
 * Sums of weights over spans of keys. Spans may overlap, so the kernels sum the segments between
 * all of their ends, and a span is a run of segments.
 */
import { integers, list, sized } from '../check.js';
import { ATTN_MAX_SEGMENTS } from '../engine/constants.js';
import { refuse } from '../errors.js';

/** @typedef {readonly [from: number, to: number]} Span the keys from ≤ j < to */

/**
 * @param {string} name
 * @param {unknown} x
 * @param {number} max the largest end
 * @returns {Span[]}
 */
export function readSpans(name, x, max) {
  const pairs = list(name, x, 'an array of [from, to]');
  const limit = ATTN_MAX_SEGMENTS / 2;
  if (pairs.length > limit) refuse('LIMIT', name, `${pairs.length} long`, `at most ${limit}`);
  return pairs.map((pair, index) => {
    const which = `${name}[${index}]`;
    const ends = sized(which, list(which, pair, '[from, to]'), 2, 'a pair');
    const [from, to] = integers(which, ends, 0, max);
    return from <= to ? [from, to] : refuse('RANGE', which, `[${from}, ${to}]`, 'from at most to');
  });
}

/** The edges of the segments that spans are made of. @param {readonly Span[]} spans */
export const edgesOf = (spans) =>
  Int32Array.from(new Set(spans.filter(([from, to]) => from < to).flat())).sort();

/**
 * Fills sums (rows, spans) from those over segments (rows, edges − 1).
 * @param {Float32Array | Float64Array} segments
 * @param {Int32Array} edges
 * @param {readonly Span[]} spans
 * @param {Float32Array | Float64Array} sums to be filled
 */
export function sumSpans(segments, edges, spans, sums) {
  const count = Math.max(edges.length - 1, 0);
  const first = Int32Array.from(spans, ([from]) => edges.indexOf(from));
  const end = Int32Array.from(spans, ([, to]) => edges.indexOf(to));
  for (let at = 0, row = 0; at < sums.length; row += count)
    for (let span = 0; span < first.length; span++) {
      let sum = 0;
      for (let x = first[span]; x < end[span]; x++) sum += segments[row + x];
      sums[at++] = sum;
    }
}
