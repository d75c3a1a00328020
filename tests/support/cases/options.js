/** Cases of the other options, each alone; and of groups and layouts. */
import { keyScale, sinks, slopes } from './mixtures.js';

/** @param {import("../cases.js").Add} add */
export function others(add) {
  add('keyScale', { m: 5, n: 70 }, (r, s, T) => ({ keyScale: keyScale(r, s, T) }));
  add('ALiBi', { heads: 4, m: 9, n: 70 }, (r, s, T) => ({ alibi: slopes(r, s, T) }));
  add('ALiBi, causal decode', { heads: 4, m: 1, n: 130 }, (r, s, T) => ({
    alibi: slopes(r, s, T),
    causal: true,
    offset: 129,
  }));
  add('sinks', { heads: 3, m: 5, n: 70 }, (r, s, T) => ({ sinks: sinks(r, s, T) }));
  add('sinks far above and below', { heads: 2, m: 5, n: 70 }, (r, s, T) => ({
    sinks: T.from([40, -200]),
  }));
  add('a sink over an empty row', { m: 5, n: 9 }, (r, s, T) => ({
    sinks: T.from([1]),
    causal: true,
    offset: -2,
  }));

  // Groups and layouts.
  for (const group of [1, 2, 3, 4, 7])
    for (const layout of ['bhsd', 'bshd'])
      add(
        `${group} queries to a key head, ${layout}`,
        { batch: 2, heads: group * 2, kvHeads: 2, m: 5, n: 20, d: 9, dv: 6 },
        { layout },
      );
  add(
    'one key head for 8 queries, bshd, causal',
    { heads: 8, kvHeads: 1, m: 33, n: 33, d: 7, dv: 9 },
    { layout: 'bshd', causal: true },
  );
}
