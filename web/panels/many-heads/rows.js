/** One row of the machine at a time against the oracle. */
import { attentionRow, mayRead } from '../../math/oracle.js';

/** @typedef {import('./worker.js').Run} Run */

const EPSILON = 2 ** -23;
const U = 2 ** -24;

/**
 * A row of displayed weights, and the output they give.
 * @param {Float32Array} row
 * @param {Float32Array} values
 * @param {number} dv
 */
export function outputOfDisplayed(row, values, dv) {
  const output = new Float64Array(dv);
  for (let j = 0; j < row.length; j++) {
    if (row[j] === 0) continue; // a masked value is not read, whatever it holds
    for (let c = 0; c < dv; c++) output[c] += row[j] * values[j * dv + c];
  }
  return output;
}

/**
 * The statistics of a row of weights: its entropy, and its divergence from `count` equal weights.
 * @param {ArrayLike<number>} weights
 * @param {number} count
 */
export function statisticsOf(weights, count) {
  let entropy = 0;
  let kl = 0;
  for (let j = 0; j < weights.length; j++) {
    if (!(weights[j] > 0)) continue;
    entropy -= weights[j] * Math.log(weights[j]);
    kl += weights[j] * Math.log(count * weights[j]);
  }
  return { entropy, kl };
}

/** The length of a vector. @param {ArrayLike<number>} vector */
export function lengthOf(vector) {
  return Math.hypot(...Array.from(vector));
}

/**
 * Whether rounding decides a row at T = 0. Two scores, each wrong by u·(d + 4)·Σ|q·k|·scale, may
 * change places, or the best of them its sign.
 * @param {Pick<ReturnType<typeof attentionRow>, 'z' | 'top' | 'condition'>} row
 * @param {number} T @param {number} d channels
 */
export function undecided({ z, top, condition }, T, d) {
  if (T !== 0) return false;
  const wrong = 2 ** -24 * (d + 4) * condition;
  return Math.abs(top) <= wrong || z.some((x) => x < top && top - x <= 2 * wrong);
}

/** Nothing compared as yet. @param {number} heads @param {number} n */
export const fresh = (heads, n) => ({
  statistics: { measured: 0, allowed: 0, ratio: 0, max: 0, compared: 0 },
  /** Of each head, the textbook's: means over its rows, and the weights of its first key. */
  means: Array.from({ length: heads }, () => ({ kl: 0, entropy: 0 })),
  column: new Float64Array(heads * n).fill(NaN),
  /** Of each head, the lengths of the values that it reads. */
  lengths: new Float64Array(heads * n).fill(NaN),
  values: { measured: 0, allowed: 0, ratio: 0, max: 0, compared: 0 },
  fused: { measured: 0, allowed: 0, ratio: 0, max: 0, compared: 0 },
  sums: { measured: 0, allowed: 0, ratio: 0, max: 0, compared: 0 },
  picture: { measured: 0, allowed: 0, ratio: 0, max: 0, compared: 0 },
  leaks: 0,
  maskedCells: 0,
  poisoned: 0,
  /** Rows at T = 0 that are left out. */
  undecided: 0,
});

/**
 * Keeps the element that is worst against its own allowance.
 * @param {ReturnType<typeof fresh>['fused']} found
 * @param {number} difference
 * @param {number} allowed
 */
function worst(found, difference, allowed) {
  const ratio = difference === 0 ? 0 : difference / allowed;
  found.compared++;
  found.max = Math.max(found.max, difference);
  if (
    Number.isNaN(found.ratio) ||
    ratio < found.ratio ||
    (ratio === found.ratio && found.allowed > 0)
  )
    return;
  Object.assign(found, { measured: difference, allowed, ratio });
}

/**
 * One query of one head against the oracle.
 * @param {Run} run
 * @param {number} h
 * @param {number} i
 * @param {ReturnType<typeof fresh>} found
 */
export function checkRow(run, h, i, found) {
  const { H, G, n, d, T, mask, q, k, v, output, weights } = run;
  const group = Math.floor(h / (H / G)) * n * d;
  const at = (h * n + i) * d;
  const row = weights.subarray((h * n + i) * n, (h * n + i + 1) * n);
  const keys = k.subarray(group, group + n * d);
  const values = v.subarray(group, group + n * d);
  const visible = (/** @type {number} */ j) => mayRead(i, j, mask);
  const truth = attentionRow(q.subarray(at, at + d), keys, values, {
    n,
    d,
    dv: d,
    scale: 1 / Math.sqrt(d),
    T,
    visible,
  });
  const shown = outputOfDisplayed(row, values, d);
  let sum = 0;
  let count = 0;
  for (let j = 0; j < n; j++) {
    if (visible(j)) count++;
    else {
      found.maskedCells++;
      if (row[j] !== 0) found.leaks++;
    }
    sum += row[j];
  }
  const isNaNRow = Number.isNaN(truth.output[0]);
  if (isNaNRow) found.poisoned++;
  else worst(found.sums, Math.abs(sum - (count ? 1 : 0)), U * (4 + count));
  const open = !isNaNRow && undecided(truth, T, d);
  const A = T === 0 ? 0 : truth.condition;
  statistics(run, h, i, { truth, count, A, lost: isNaNRow, open }, found);
  lengths(run, h, i, { row, values, lost: isNaNRow }, found);
  if (open) return void found.undecided++;
  for (let c = 0; c < d; c++) {
    // Where the oracle says NaN the kernel must, and nowhere else.
    if (isNaNRow && Number.isNaN(output[at + c]) && Number.isNaN(shown[c])) continue;
    const allowed = EPSILON * truth.mass[c] * (4 + 2 * A) + 2 ** -145;
    worst(found.fused, Math.abs(output[at + c] - truth.output[c]), allowed);
    worst(found.picture, Math.abs(shown[c] - output[at + c]), 2 * allowed);
  }
}

/**
 * The statistics of the fused pass against those of the textbook's row.
 * @param {Run} run
 * @param {number} h
 * @param {number} i
 * @param {{ truth: ReturnType<typeof attentionRow>, count: number, A: number, lost: boolean, open:
 *   boolean }} row A: its condition, 0 at T = 0; open: it is left out, and is in the means as it is
 * @param {ReturnType<typeof fresh>} found
 */
function statistics({ n, stats, lse }, h, i, { truth, count, A, lost, open }, found) {
  const at = h * n + i;
  const own = { entropy: stats.entropy[at], kl: stats.kl[at] };
  const none = { entropy: NaN, kl: NaN };
  const { entropy, kl } = lost ? none : open ? own : statisticsOf(truth.weights, count);
  found.means[h].kl += kl / n;
  found.means[h].entropy += entropy / n;
  found.column[at] = open ? NaN : truth.weights[0];
  if (lost || open) return;
  const allowed = EPSILON * (4 + 2 * A) * (1 + Math.log(count || 1));
  worst(found.statistics, Math.abs(stats.kl[at] - kl), allowed);
  worst(found.statistics, Math.abs(stats.entropy[at] - entropy), allowed);
  // at T = 0 both are infinite, with the sign of the best score
  const apart = lse[at] === truth.lse ? 0 : Math.abs(lse[at] - truth.lse);
  worst(found.statistics, apart, allowed + EPSILON * Math.abs(truth.lse));
}

/**
 * Displayed weights times the lengths of their values: the sum of the row, and the length of the
 * output, which is at most that sum.
 * @param {Run} run @param {number} h @param {number} i
 * @param {{ row: Float32Array, values: Float32Array, lost: boolean }} of
 * @param {ReturnType<typeof fresh>} found
 */
function lengths({ n, d, output, sums, outputs, lengths: told, G, H }, h, i, of, found) {
  const { row, values, lost } = of;
  const at = h * n + i;
  const group = Math.floor(h / (H / G)) * n;
  const known = found.lengths.subarray(h * n, (h + 1) * n);
  for (let j = 0; j < n && i === 0; j++) {
    known[j] = lengthOf(values.subarray(j * d, (j + 1) * d));
    worst(found.values, Math.abs(told[group + j] - known[j]), 2 ** -52 * (d + 4) * known[j]);
  }
  if (lost) return;
  let sum = 0;
  for (let j = 0; j < n; j++) if (row[j] !== 0) sum += row[j] * known[j];
  worst(found.values, Math.abs(sums[at] - sum), 2 ** -52 * (n + d + 4) * sum);
  const long = lengthOf(output.subarray(at * d, (at + 1) * d));
  worst(found.values, Math.abs(outputs[at] - long), 2 ** -52 * (d + 4) * long);
  // the weights of a row add up to 1 within u·(4 + n), and the output is rounded as they are
  const beyond = Math.max(0, outputs[at] - sum);
  worst(found.values, Number.isNaN(outputs[at]) ? NaN : beyond, EPSILON * (4 + n) * sum);
}
