/** Derivatives in double by central differences. */

/**
 * Σ y_i·dy_i derived by each number of x, where y = f(x).
 * @param {(x: Float64Array) => ArrayLike<number>} f
 * @param {ArrayLike<number>} x
 * @param {ArrayLike<number>} dy
 * @param {number} [step] its square times the third derivative is the error, and 2⁻⁵³/step another
 */
export function central(f, x, dy, step = 1e-5) {
  const at = (i, by) => {
    const moved = Float64Array.from(x);
    moved[i] += by;
    return Array.from(f(moved)).reduce((sum, y, j) => sum + y * dy[j], 0);
  };
  return Float64Array.from(x, (_, i) => (at(i, step) - at(i, -step)) / (2 * step));
}

/** The largest |a − b| relative to the largest |b|. */
export function distance(a, b) {
  const size = b.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
  return a.reduce((max, x, i) => Math.max(max, Math.abs(x - b[i])), 0) / (size || 1);
}
