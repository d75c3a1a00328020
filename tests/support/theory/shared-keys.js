/**
 * Both attentions of one query, with its own keys and with shared ones, and the bounds between
 * them.
 */
import { eigenvalues } from './jacobi.js';
import { softmax } from './states.js';

/** The largest singular value of a (n, d), from the eigenvalues of AᵀA. */
export const norm = (a, d) =>
  Math.sqrt(
    eigenvalues(
      Array.from({ length: d }, (_, i) =>
        Array.from({ length: d }, (_, j) => {
          let sum = 0;
          for (let x = 0; x < a.length; x += d) sum += a[x + i] * a[x + j];
          return sum;
        }),
      ),
    )[0],
  );

/** Both attentions of one query, their differences, and the bounds as the statement has them. */
export function oracle({ q, k, v, n, d, dv, T }, sharedK, sharedV, operator) {
  const scores = (keys) =>
    Float64Array.from(
      { length: n },
      (_, j) => q.reduce((sum, x, c) => sum + x * keys[j * d + c], 0) / Math.sqrt(d),
    );
  const [own, other] = [softmax(scores(k), T).p, softmax(scores(sharedK), T).p];
  const dz = scores(sharedK.map((x, i) => x - k[i]));
  const dp = other.map((x, j) => x - own[j]);
  const value = (a, j) => a.subarray(j * dv, j * dv + dv);
  const length = (a, b) => Math.hypot(...a.map((x, c) => x - (b ? b[c] : 0)));
  const keys = [...Array(n).keys()];
  const output = (p, values) =>
    Float64Array.from({ length: dv }, (_, c) =>
      p.reduce((sum, x, j) => sum + x * values[j * dv + c], 0),
    );
  const mean = dz.reduce((a, b) => a + b, 0) / n;
  const range = Math.max(...dz) - Math.min(...dz);
  const diameter = Math.max(
    ...keys.flatMap((i) => keys.map((j) => length(value(v, i), value(v, j)))),
  );
  const longest = Math.max(...keys.map((j) => length(value(v, j))));
  const shift = Math.max(...keys.map((j) => length(value(sharedV, j), value(v, j))));
  const one = dp.reduce((sum, x) => sum + Math.abs(x), 0);
  const two = Math.hypot(...dp);
  return {
    measured: {
      weights2: two,
      weights1: one,
      output: length(output(other, sharedV), output(own, v)),
    },
    size: Math.max(...scores(k).map(Math.abs), ...scores(sharedK).map(Math.abs)) / T,
    bounds: {
      sharp: Math.hypot(...dz.map((x) => x - mean)) / (2 * T),
      note: Math.hypot(...dz) / T,
      operator: (operator * Math.hypot(...q)) / (T * Math.sqrt(d)),
      range: range / (2 * T),
      outputRange: (range / (4 * T)) * diameter + shift,
      outputDiameter: (one * diameter) / 2 + shift,
      outputNote1: one * longest + shift,
      outputNote2: Math.sqrt(n) * two * longest + shift,
    },
    caps: {
      sharp: Math.SQRT2,
      note: Math.SQRT2,
      operator: Math.SQRT2,
      range: 2,
      outputRange: diameter + shift,
      outputDiameter: diameter + shift,
      outputNote1: diameter + shift,
      outputNote2: diameter + shift,
    },
  };
}
