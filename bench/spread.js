/** Medians and quartiles. */

/** @param {number[]} values @param {number} at 0 to 1, by linear interpolation */
export function quantile(values, at) {
  const sorted = [...values].sort((a, b) => a - b);
  const x = at * (sorted.length - 1);
  const low = Math.floor(x);
  return sorted[low] + (x - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
}

/** @param {number[]} values */
export const median = (values) => quantile(values, 0.5);

/**
 * Middle, interquartile range and best of speeds or times.
 * @param {number[]} values
 * @param {boolean} [more] whether more is better
 */
export function spread(values, more = true) {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((at) => quantile(values, at));
  return {
    median: middle,
    low,
    high,
    best: more ? Math.max(...values) : Math.min(...values),
    samples: values.length,
  };
}
