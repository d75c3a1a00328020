/** Cases of sizes: at and beside every lane, tile and block boundary, and none. */
import { edges, keyScale, sinks, slopes } from './mixtures.js';

/** @param {import("../cases.js").Add} add */
export function sizes(add) {
  for (const e of edges) {
    add(`n = ${e}`, { m: 3, n: e, d: 8 });
    add(`m = ${e}`, { m: e, n: 9, d: 4 });
    add(`d = ${e}, dv = 5`, { m: 2, n: 17, d: e, dv: 5 });
    add(`dv = ${e}, d = 5`, { m: 2, n: 17, d: 5, dv: e });
    add(`m = n = ${e}, causal`, { m: e, n: e, d: 5, dv: 3 }, { causal: true });
  }
  for (const n of [511, 512, 513]) {
    add(`n = ${n}, one query`, { m: 1, n, d: 16, heads: 2 });
    add(`m = ${n}`, { m: n, n: 5, d: 4, dv: 3 });
  }
  add(
    '300 query rows, 3 heads on one, causal',
    { heads: 3, kvHeads: 1, m: 100, n: 100, d: 5 },
    { causal: true },
  );
  add(
    'many row chunks over many spans, causal',
    { m: 300, n: 1100, d: 4, dv: 3 },
    { causal: true, offset: 800 },
  );
  for (const n of [63, 64, 65, 127, 128, 129])
    for (const m of [31, 33]) add(`tile ${m} × ${n}, d = 33`, { m, n, d: 33, dv: 31 });
  add('d = dv = 1, n = 1, m = 1', { m: 1, n: 1, d: 1 });
  add('a head of 64, 12 heads', { heads: 12, m: 17, n: 40, d: 64 });
  add('a head of 256', { m: 5, n: 70, d: 256 });
  for (const family of ['normal', 'uniform', 'constant']) {
    add(`a head of 1024, ${family} data`, { m: 2, n: 20, d: 1024, dv: 9 }, {}, { family });
    add(`2000 keys, ${family} data`, { m: 3, n: 2000, d: 8, dv: 3 }, {}, { family });
  }
  add('no keys', { n: 0 }, {}, { empty: true });
  add(
    'no keys, every option',
    { n: 0, heads: 2, kvHeads: 1 },
    (r, s, T) => ({
      causal: true,
      offset: -2,
      window: [1, 1],
      softcap: 2,
      sinks: sinks(r, s, T),
      alibi: slopes(r, s, T),
      keyScale: keyScale(r, s, T),
    }),
    { empty: true },
  );
  add('no queries', { m: 0 });
}
