/** The limits of the rule for hostile calls, and the weaker rule beyond them. */
import assert from 'node:assert/strict';

const M = 3.4028234663852886e38;
const SMALLEST = 2 ** -149;
/** The rule is of first order: beyond this condition, rounding may exchange whole weights. */
const KNOWN = 2 ** 18;

/** In place: finite numbers beyond the floats are the nearest, and small products have few bits. */
export function tame(ref, s, { k, options }, precision) {
  if (precision !== 'float32') return;
  for (const x of [ref.raw, ref.capped, ref.masked, ref.lse, ref.output, ref.stats.expectedScore])
    x.forEach((y, at) => {
      if (Number.isFinite(y)) x[at] = Math.max(-M, Math.min(M, y));
    });
  const { scale = 1 / Math.sqrt(s.d), keyScale, softcap = 0 } = options;
  const rows = ref.lse.length;
  for (let r = 0; r < rows; r++) {
    const head = Math.floor(r / s.m);
    const b = Math.floor(head / s.heads);
    const kvHead = Math.floor((head % s.heads) / (s.heads / s.kvHeads));
    let largestFloor = 0;
    for (let j = 0; j < s.n; j++) {
      const at = ((b * s.kvHeads + kvHead) * s.n + j) * s.d;
      let sum = 0;
      for (let c = 0; c < s.d; c++) sum += 1 + Math.abs(k[at + c]);
      const factor = Math.abs(keyScale?.[j] ?? 1);
      const floor = (factor * (1 + Math.abs(scale) * sum) + softcap) * SMALLEST * 2 ** 22;
      for (const stage of ['raw', 'capped', 'masked']) ref.sizes[stage][r * s.n + j] += floor;
      if (ref.masked[r * s.n + j] > -Infinity) largestFloor = Math.max(largestFloor, floor);
    }
    ref.Z[r] += largestFloor;
  }
}

/** The smallest and the largest attended value of a channel of a row. */
function hull(ref, s, v, r, c) {
  const head = Math.floor(r / s.m);
  const b = Math.floor(head / s.heads);
  const kvHead = Math.floor((head % s.heads) / (s.heads / s.kvHeads));
  let low = Infinity;
  let high = -Infinity;
  for (let j = 0; j < s.n; j++) {
    if (ref.masked[r * s.n + j] === -Infinity) continue;
    const x = v[((b * s.kvHeads + kvHead) * s.n + j) * s.dv + c];
    low = Math.min(low, x);
    high = Math.max(high, x);
  }
  return low > high || ref.sinks ? [Math.min(0, low), Math.max(0, high)] : [low, high];
}

/** Whether the row's weights follow from the scores as they are rounded. */
function isKnown(ref, s, r) {
  if (ref.T === Infinity) return true;
  const row = ref.masked.subarray(r * s.n, (r + 1) * s.n);
  const top = row.reduce((a, b) => Math.max(a, b), -Infinity);
  // a key that weighs nothing might weigh something, as its score is rounded
  const mightWeigh = (z, j) => z > -Infinity && ref.sizes.masked[r * s.n + j] * 2 ** -20 > top - z;
  if (ref.T !== 0)
    return (
      ref.A[r] <= KNOWN && !row.some((z, j) => ref.ratio[r * s.n + j] === 0 && mightWeigh(z, j))
    );
  const ties = row.filter((x) => x === top).length;
  return ref.margin[r] >= 1e-4 && (ties <= 1 || s.d === 1);
}

/**
 * At T = 0 the lse is infinite, with the sign of the largest score. Where the error of that score
 * is larger than the score itself, rounding decides its sign, and the reference becomes the result.
 */
function settleSign(ref, result, s, r, name) {
  if (ref.T !== 0 || !result.lse) return;
  const attended = ref.masked.subarray(r * s.n, (r + 1) * s.n);
  const top = attended.reduce((a, b) => Math.max(a, b), -Infinity);
  const mightBeTop = (z, j) => ref.sizes.masked[r * s.n + j] * 2 ** -20 >= Math.abs(z - top);
  const signIsKnown = !attended.some(
    (z, j) =>
      z > -Infinity && mightBeTop(z, j) && ref.sizes.masked[r * s.n + j] * 2 ** -20 > Math.abs(z),
  );
  if (signIsKnown) return;
  const got = result.lse[r];
  const isLimit = Math.abs(got) === Infinity || (got >= 0 && got <= Math.log(s.n) + 2 ** -20);
  assert.ok(isLimit, `${name}: lse[${r}] is ${got}, no limit at T = 0`);
  ref.lse[r] = got;
}

/**
 * Checks that outputs are means of attended values, in rows whose weights are not known, or in all.
 * The reference of these rows becomes the result. Returns how many there are.
 */
export function settle(ref, result, s, { v }, name, all = false) {
  let count = 0;
  for (let r = 0; r < ref.lse.length; r++) {
    // which key is the largest means nothing beside NaN
    if (result.stats && Number.isNaN(ref.stats.maxWeight[r]))
      ref.stats.argmax[r] = result.stats.argmax[r];
    settleSign(ref, result, s, r, name);
    if (!all && isKnown(ref, s, r)) continue;
    count++;
    const hulls = Array.from({ length: s.dv }, (_, c) => hull(ref, s, v, r, c));
    const size = Math.max(...hulls.flat().map(Math.abs));
    hulls.forEach(([low, high], c) => {
      const got = result.output[r * s.dv + c];
      if (!Number.isNaN(ref.output[r * s.dv + c])) {
        // a value in bytes is off by half a step of the largest of its vector, a sum by one in 254
        const slack = all
          ? size * (0.01 + s.n / 254) + 1e-30
          : 2 ** -20 * Math.max(-low, high) + SMALLEST;
        assert.ok(
          got >= low - slack && got <= high + slack,
          `${name}: output[${r * s.dv + c}] is ${got}, no mean of ${low} to ${high}`,
        );
      }
      ref.output[r * s.dv + c] = got;
    });
    for (let j = 0; j < s.n && result.weights; j++)
      ref.weights[r * s.n + j] = result.weights[r * s.n + j];
    for (const x of ['entropy', 'kl', 'expectedScore', 'maxWeight', 'argmax', 'variance'])
      if (result.stats) ref.stats[x][r] = result.stats[x][r];
    if (ref.T === 0) ref.lse[r] = result.lse?.[r] ?? 0;
  }
  return count;
}
