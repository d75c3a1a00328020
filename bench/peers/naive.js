/** Attention as written without a library: typed arrays, three loops. */
import { seen } from '../cases.js';

export async function open() {
  return [{ name: 'naive JS', version: '', role: 'peer', tolerance: 2e-6, prepare }];
}

function prepare(c, { q, k, v }) {
  const { heads, kvHeads, m, n, d } = c;
  const output = new Float32Array(heads * m * d);
  const weights = new Float32Array(n);
  const scale = 1 / Math.sqrt(d);
  const run = () => {
    output.fill(0);
    for (let h = 0; h < heads; h++) {
      const keys = Math.floor(h / (heads / kvHeads)) * n * d;
      for (let i = 0; i < m; i++) {
        const at = (h * m + i) * d;
        const [from, to] = seen(c, i);
        let top = -Infinity;
        let sum = 0;
        for (let j = from; j < to; j++) {
          let z = 0;
          for (let x = 0, b = keys + j * d; x < d; x++) z += q[at + x] * k[b + x];
          weights[j] = z * scale;
          if (weights[j] > top) top = weights[j];
        }
        for (let j = from; j < to; j++) sum += weights[j] = Math.exp(weights[j] - top);
        for (let j = from; j < to; j++) {
          const w = weights[j] / sum;
          for (let x = 0, b = keys + j * d; x < d; x++) output[at + x] += w * v[b + x];
        }
      }
    }
    return output[0];
  };
  return { run, output: () => output, dispose() {} };
}
