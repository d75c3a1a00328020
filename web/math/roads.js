/**
 * Three roads to a row of weights, none of which knows softmax or an exponential: the best
 * compromise between score and surprise, the best use of a budget, and the most likely value.
 * Plain float64, nothing shared with the kernels. The page shows these functions as they stand
 * here, so each carries its explanation inside.
 */

/**
 * Where score and surprise balance: the top of ⟨p, z⟩ + T·H(p) over all ways to share out 1.
 * @param {ArrayLike<number>} scores z (n)
 * @param {number} T above 0
 */
export function compromise(scores, T) {
  const n = scores.length;
  const p = new Float64Array(n).fill(1 / n);
  const worth = new Float64Array(n);
  for (let step = 0; step < 1000; step++) {
    // A crumb more weight on key j is worth z_j − T·(log p_j + 1). At the top all keys are worth
    // the same, for otherwise a crumb would move.
    let mean = 0;
    for (let j = 0; j < n; j++) {
      if (p[j] < 1e-300) p[j] = 0; // too small for a double, and no part of the sums any more
      worth[j] = p[j] > 0 ? (scores[j] - T * Math.log(p[j])) / T : 0;
      mean += p[j] * worth[j];
    }
    // Newton's step, by which a weight at most quadruples or falls to a tenth.
    let total = 0;
    let moved = 0;
    for (let j = 0; j < n; j++) {
      const change = Math.min(3, Math.max(-0.9, worth[j] - mean));
      moved = Math.max(moved, Math.abs(change));
      total += p[j] *= 1 + change;
    }
    for (let j = 0; j < n; j++) p[j] /= total;
    if (moved < 1e-15) break;
  }
  return p;
}

/**
 * The budget that p has spent by leaning away from uniform weights: KL(p‖uniform) in nats.
 * @param {ArrayLike<number>} p
 */
export function spending(p) {
  let rho = 0;
  for (let j = 0; j < p.length; j++) if (p[j] > 0) rho += p[j] * Math.log(p.length * p[j]);
  return rho;
}

/**
 * The most rewarding weights within a budget: maximise ⟨p, z⟩ subject to KL(p‖uniform) ≤ rho. It is
 * told the budget, never the temperature.
 * @param {ArrayLike<number>} scores z (n)
 * @param {number} rho nats
 */
export function bestUseOf(scores, rho) {
  // Each nat has a price in score. At a price of T, the best to do is the compromise at T. The
  // higher the price the less is spent, so halve the prices until the budget is met.
  let low = 2 ** -10;
  let high = 2 ** 30;
  for (;;) {
    const middle = Math.sqrt(low * high);
    if (middle <= low || middle >= high) break;
    if (spending(compromise(scores, middle)) > rho) low = middle;
    else high = middle;
  }
  return { weights: compromise(scores, high), price: high };
}

/**
 * The value that makes independent reports most likely, where report j has a Gaussian error of
 * known variance. It climbs the log-likelihood by Newton's method, from the first report.
 * @param {ArrayLike<number>} reports (n)
 * @param {ArrayLike<number>} variances (n)
 */
export function mostLikely(reports, variances) {
  let value = reports[0];
  let curvature = 0;
  for (let step = 0; step < 50; step++) {
    // log L = −Σ (value − report)²/2s² + a constant: its slope and its curvature
    let slope = 0;
    curvature = 0;
    for (let j = 0; j < reports.length; j++) {
      slope -= (value - reports[j]) / variances[j];
      curvature -= 1 / variances[j];
    }
    const next = value - slope / curvature;
    if (next === value) break;
    value = next;
  }
  return { value, curvature };
}
