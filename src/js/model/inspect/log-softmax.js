/** Logarithms of the probabilities that logits give, in double. */

/** log softmax at all tokens. @param {Float32Array} logits */
export function logProbabilities(logits) {
  let max = -Infinity;
  for (const x of logits) max = Math.max(max, x);
  let sum = 0;
  for (const x of logits) sum += Math.exp(x - max);
  const lse = max + Math.log(sum);
  return Float64Array.from(logits, (x) => x - lse);
}

/**
 * KL(p‖q). A token that p excludes adds nothing, even if q excludes it too.
 * @param {Float64Array} p log probabilities
 * @param {Float64Array} q log probabilities
 */
export function divergence(p, q) {
  let sum = 0;
  p.forEach((x, id) => {
    const weight = Math.exp(x);
    if (weight > 0) sum += weight * (x - q[id]);
  });
  return sum;
}
