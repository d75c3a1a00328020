/** The Mann–Whitney test, and corrections of many p-values. */

/** n1·n2 up to which the distribution is counted, if no two values are equal. */
const EXACT = 400;

/** erfc(x) for x ≥ 0 to a relative 1.2e−7 (Press et al., Numerical Recipes, 6.2). */
function erfc(/** @type {number} */ x) {
  const t = 1 / (1 + 0.5 * x);
  const terms = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398,
    1.48851587, -0.82215223, 0.17087277,
  ];
  return t * Math.exp(-x * x + terms.reduceRight((sum, term) => sum * t + term, 0));
}

/** By the sizes of two samples, which all heads share. @type {Map<string, Float64Array>} */
const counted = new Map();

/**
 * How many orders of n1 + n2 values have each U.
 * @param {number} n1
 * @param {number} n2
 */
function ordersOf(n1, n2) {
  const known = counted.get(`${n1} ${n2}`);
  if (known) return known;
  // ways[k][s]: choices of k values whose ranks exceed the smallest possible sum by s
  const ways = Array.from({ length: n1 + 1 }, () => new Float64Array(n1 * n2 + 1));
  ways[0][0] = 1;
  for (let value = 0; value < n1 + n2; value++)
    for (let k = Math.min(n1, value + 1); k > 0; k--) {
      const more = value - (k - 1);
      for (let s = more; s <= n1 * n2; s++) ways[k][s] += ways[k - 1][s - more];
    }
  counted.set(`${n1} ${n2}`, ways[n1]);
  return ways[n1];
}

/**
 * The share of the orders of n1 + n2 values whose U is at most u.
 * @param {number} u
 * @param {number} n1
 * @param {number} n2
 */
function exactTail(u, n1, n2) {
  const sum = (/** @type {Float64Array} */ some) => some.reduce((all, x) => all + x, 0);
  const orders = ordersOf(n1, n2);
  return sum(orders.subarray(0, u + 1)) / sum(orders);
}

/**
 * The two-sided p-value of the Mann–Whitney U test, that neither of two samples tends to be larger.
 * It is exact for small samples without ties. Otherwise it is that of the normal distribution, with
 * the variance of the ties and a correction for continuity.
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 */
export function mannWhitney(a, b) {
  const [n1, n2] = [a.length, b.length];
  const n = n1 + n2;
  const all = [...Array.from(a, (x) => ({ x, own: 1 })), ...Array.from(b, (x) => ({ x, own: 0 }))];
  all.sort((left, right) => left.x - right.x);
  let ranks = 0;
  let ties = 0;
  for (let first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && all[end].x === all[first].x;) end++;
    const count = end - first;
    ties += count ** 3 - count;
    for (let at = first; at < end; at++) ranks += all[at].own * ((first + 1 + end) / 2);
  }
  const u = ranks - (n1 * (n1 + 1)) / 2;
  const smaller = Math.min(u, n1 * n2 - u);
  if (ties === 0 && n1 * n2 <= EXACT) return Math.min(1, 2 * exactTail(smaller, n1, n2));
  const variance = ((n1 * n2) / 12) * (n + 1 - ties / (n * (n - 1)));
  if (variance <= 0) return 1;
  return Math.min(1, erfc(Math.max(0, (n1 * n2) / 2 - smaller - 0.5) / Math.sqrt(2 * variance)));
}

/**
 * p-values corrected for their number. `holm` (Holm 1979) bounds the probability of any false
 * finding. `benjamini-hochberg` (1995) bounds the expected share of false ones among the findings.
 * @param {ArrayLike<number>} p
 * @param {'holm' | 'benjamini-hochberg'} correction
 */
export function corrected(p, correction) {
  const adjusted = new Float64Array(p.length);
  const order = Array.from(p, (_, at) => at).sort((x, y) => p[x] - p[y]);
  const count = p.length;
  let bound = correction === 'holm' ? 0 : 1;
  if (correction === 'holm')
    order.forEach((at, rank) => {
      bound = Math.max(bound, Math.min(1, (count - rank) * p[at]));
      adjusted[at] = bound;
    });
  else
    for (let rank = count; rank-- > 0;) {
      bound = Math.min(bound, (count / (rank + 1)) * p[order[rank]]);
      adjusted[order[rank]] = bound;
    }
  return adjusted;
}
