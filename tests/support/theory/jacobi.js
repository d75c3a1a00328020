/** Eigenvalues of a symmetric matrix by Jacobi's rotations, largest first. */
export function eigenvalues(matrix) {
  const a = matrix.map((row) => Float64Array.from(row));
  const n = a.length;
  const size = Math.max(...a.map((row) => Math.max(...row.map(Math.abs))));
  /** Far below the rounding of any eigenvalue. */
  const isSmall = (x) => Math.abs(x) <= 2 ** -80 * size;
  for (let sweep = 0, rotations = 1; sweep < 40 && rotations; sweep++) {
    rotations = 0;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        if (isSmall(a[p][q])) continue;
        rotations++;
        const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1);
        const s = t * c;
        for (const row of a) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
        const [x, y] = [a[p], a[q]];
        for (let k = 0; k < n; k++) [x[k], y[k]] = [c * x[k] - s * y[k], s * x[k] + c * y[k]];
        // but for rounding
        x[q] = y[p] = 0;
      }
  }
  return a.map((row, i) => row[i]).sort((x, y) => y - x);
}
