/** The Hessian of log-sum-exp, and on which side of an eigenvalue a number lies. */

/** λ(Diag p − ppᵀ), written out. */
export const hessian = (p, T) =>
  Array.from(p, (x, i) => Array.from(p, (y, j) => ((i === j ? x : 0) - x * y) / T));

/**
 * The sign of Σ p_j/(p_j − μ), which rises from one weight to the next, without any rounding: all
 * numbers are whole multiples of 2⁻¹⁷⁰.
 */
export function side(p, mu) {
  const whole = (x) => BigInt(x * 2 ** 85) * 2n ** 85n + BigInt(((x * 2 ** 85) % 1) * 2 ** 85);
  const at = whole(mu);
  let top = 0n;
  let bottom = 1n;
  for (const x of p) {
    const w = whole(x);
    top = top * (w - at) + w * bottom;
    bottom *= w - at;
  }
  return Number(top > 0n) * 2 - 1 === Number(bottom > 0n) * 2 - 1 ? 1 : -1;
}
