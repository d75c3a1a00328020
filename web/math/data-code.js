/** Code to take away: an engine, and the inputs of data.js. */

import { RECIPES } from './data.js';

/** A number of a code that loses no bit. @param {ArrayLike<number>} numbers */
export const floats = (numbers) => `Float64Array.of(${Array.from(numbers, String).join(', ')})`;

export const ENGINE = `import { init } from 'clearhead';

const ch = await init();`;

/** `normals(seed, name, length)` */
export const NORMALS = `// numbers from a seed: mean 0, variance 1
function stream(seed, name) {
  let a = seed >>> 0;
  for (const letter of name) a = Math.imul(a ^ letter.charCodeAt(0), 0x01000193) + 0x9e3779b9;
  const uniform = () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => (uniform() + uniform() + uniform() + uniform() - 2) * 1.7320508075688772;
}
const normals = (seed, name, length) => Float64Array.from({ length }, stream(seed, name));`;

/** `unitRows(rows, d)` */
export const UNIT_ROWS = `const unitRows = (rows, d) =>
  rows.map((x, at) => {
    let sum = 0;
    for (const y of rows.subarray(at - (at % d), at - (at % d) + d)) sum += y * y;
    return x / Math.sqrt(sum);
  });`;

const recipes = JSON.stringify(RECIPES, null, 1)
  .replace(/\n {2,}|\n (?=\})/g, ' ')
  .replace(/"/g, '');

/** `headInputs({ seed, H, G, n, d, kind })`; needs NORMALS */
export const HEAD_INPUTS = `
const RECIPES = ${recipes};
// G key/value heads: each is the mean of those it replaces
function headInputs({ seed, H, G, n, d, kind }) {
  const size = n * d;
  const patterns = kind === 'patterns';
  const weight = patterns ? G / H : 1 / Math.sqrt(H / G);
  const q = new Float32Array(H * size);
  const k = new Float32Array(G * size);
  const v = new Float32Array(G * size);
  const position = normals(seed, 'position', size);
  for (let at = d; at < size; at++) position[at] = 0.6 * position[at - d] + 0.8 * position[at];
  for (let h = 0; h < H; h++) {
    const { back, own, sink, free } = RECIPES[h % 8];
    const drawn = (name) => stream(seed, \`\${name} \${h}\`);
    const [query, key, value] = ['query', 'key', 'value'].map(drawn);
    const group = Math.floor(h / (H / G)) * size;
    for (let at = 0; at < size; at++) {
      const c = at % d;
      const target = Math.max(0, Math.floor(at / d) - back) * d + c;
      q[h * size + at] = patterns
        ? own * position[target] + sink * position[c] + free * query()
        : query();
      k[group + at] += weight * (patterns ? 0.8 * position[at] + 0.6 * key() : key());
      v[group + at] += weight * value();
    }
  }
  return { q, k, v };
}`;
