/**
 * Eigenvalues of a real matrix: Householder's reduction to Hessenberg form, then the shifted QR
 * algorithm of Francis (Golub and Van Loan, Matrix Computations, sections 7.4 and 7.5).
 */

/** Sweeps for one eigenvalue, at most. Three are usual. */
const MAX_SWEEPS = 60;

/**
 * @param {Float64Array} matrix (n, n), changed in place
 * @param {number} n
 * @returns {{ re: number, im: number }[] | null} null where a number is not finite
 */
export function eigenvalues(matrix, n) {
  if (!matrix.every(Number.isFinite)) return null;
  reduce(matrix, n);
  /** @type {{ re: number, im: number }[]} */
  const found = [];
  const norm = matrix.reduce((sum, x) => sum + Math.abs(x), 0);
  for (let end = n, sweeps = 0; end > 0;) {
    const first = blockOf(matrix, n, end, norm);
    if (first === end - 1) {
      found.push({ re: matrix[first * n + first], im: 0 });
      end = first;
      sweeps = 0;
    } else if (first === end - 2) {
      found.push(...ofPair(matrix, n, first));
      end = first;
      sweeps = 0;
    } else if (++sweeps > MAX_SWEEPS) return null;
    else sweep(matrix, n, first, end, sweeps % 11 === 10);
  }
  return found;
}

/** The first row of the last block that has no small number below its diagonal. */
function blockOf(
  /** @type {Float64Array} */ a,
  /** @type {number} */ n,
  /** @type {number} */ end,
  /** @type {number} */ norm,
) {
  for (let k = end - 1; k > 0; k--) {
    const size = Math.abs(a[(k - 1) * n + k - 1]) + Math.abs(a[k * n + k]);
    if (Math.abs(a[k * n + k - 1]) <= Number.EPSILON * (size || norm)) {
      a[k * n + k - 1] = 0;
      return k;
    }
  }
  return 0;
}

/** Those of two rows. @param {Float64Array} a @param {number} n @param {number} k the first */
function ofPair(a, n, k) {
  const half = (a[k * n + k] - a[(k + 1) * n + k + 1]) / 2;
  const product = a[k * n + k + 1] * a[(k + 1) * n + k];
  const middle = a[(k + 1) * n + k + 1] + half;
  const square = half * half + product;
  const root = Math.sqrt(Math.abs(square));
  if (square < 0) return [root, -root].map((im) => ({ re: middle, im }));
  // the larger one first, so that the other does not lose its digits in a difference
  const far = half + (half < 0 ? -root : root);
  const base = a[(k + 1) * n + k + 1];
  return [base + far, base - (far ? product / far : 0)].map((re) => ({ re, im: 0 }));
}

/**
 * The reflection that turns a vector to the first axis: v and 2/⟨v, v⟩.
 * @param {number[]} x
 */
function reflection(x) {
  const v = Float64Array.from(x);
  const size = Math.hypot(...x);
  v[0] += v[0] < 0 ? -size : size;
  const square = v.reduce((sum, y) => sum + y * y, 0);
  return { v, factor: square ? 2 / square : 0 };
}

/**
 * Reflects rows and columns k, k + 1, … where they are not zero or of interest.
 * @param {Float64Array} a
 * @param {number} n
 * @param {number} k
 * @param {{ v: Float64Array, factor: number }} reflection
 * @param {[from: number, to: number]} columns
 * @param {[from: number, to: number]} rows
 */
function reflect(a, n, k, { v, factor }, columns, rows) {
  const count = v.length;
  for (let c = columns[0]; c < columns[1]; c++) {
    let sum = 0;
    for (let x = 0; x < count; x++) sum += v[x] * a[(k + x) * n + c];
    sum *= factor;
    for (let x = 0; x < count; x++) a[(k + x) * n + c] -= sum * v[x];
  }
  for (let r = rows[0]; r < rows[1]; r++) {
    const at = r * n + k;
    let sum = 0;
    for (let x = 0; x < count; x++) sum += v[x] * a[at + x];
    sum *= factor;
    for (let x = 0; x < count; x++) a[at + x] -= sum * v[x];
  }
}

/** To Hessenberg form: zeros below the first subdiagonal. */
function reduce(/** @type {Float64Array} */ a, /** @type {number} */ n) {
  for (let k = 0; k + 2 < n; k++) {
    const column = Array.from({ length: n - k - 1 }, (_, x) => a[(k + 1 + x) * n + k]);
    reflect(a, n, k + 1, reflection(column), [k, n], [0, n]);
    for (let r = k + 2; r < n; r++) a[r * n + k] = 0;
  }
}

/**
 * One double step with both shifts, of rows [first, end).
 * @param {Float64Array} a
 * @param {number} n
 * @param {number} first
 * @param {number} end
 * @param {boolean} exceptional shifts that leave a cycle
 */
function sweep(a, n, first, end, exceptional) {
  const at = (/** @type {number} */ r, /** @type {number} */ c) => a[r * n + c];
  const [p, q] = [end - 2, end - 1];
  const odd = Math.abs(at(q, p)) + Math.abs(at(p, p - 1));
  const trace = exceptional ? 1.5 * odd : at(p, p) + at(q, q);
  const determinant = exceptional ? odd * odd : at(p, p) * at(q, q) - at(p, q) * at(q, p);
  const f = first;
  let x = [
    at(f, f) * at(f, f) + at(f, f + 1) * at(f + 1, f) - trace * at(f, f) + determinant,
    at(f + 1, f) * (at(f, f) + at(f + 1, f + 1) - trace),
    at(f + 1, f) * at(f + 2, f + 1),
  ];
  for (let k = first; k < end - 1; k++) {
    // the rest of the matrix does not change the eigenvalues of this block
    const columns = /** @type {[number, number]} */ ([Math.max(k - 1, first), end]);
    reflect(a, n, k, reflection(x), columns, [first, Math.min(k + 4, end)]);
    if (k > first) for (let r = k + 1; r < k + x.length; r++) a[r * n + k - 1] = 0;
    x = [
      at(k + 1, k),
      ...(k + 2 < end ? [at(k + 2, k)] : []),
      ...(k + 3 < end ? [at(k + 3, k)] : []),
    ];
  }
}
