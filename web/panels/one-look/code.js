/** The weights and the output of this panel, in code that runs anywhere. */

const point = (/** @type {number} */ degrees) => {
  const angle = (degrees * Math.PI) / 180;
  return [Math.cos(angle), Math.sin(angle)];
};

/** @param {readonly (readonly number[])[]} points */
const lines = (points) => points.map((each) => `  ${each.join(', ')},`).join('\n');

/**
 * @param {{ T: number, q: readonly number[], k: readonly number[], values: Float64Array }} state
 *   directions in degrees, values (n, 2)
 */
export function codeOf({ T, q, k, values }) {
  const pairs = k.map((_, j) => [values[2 * j], values[2 * j + 1]]);
  return `import { init } from 'clearhead';

const ch = await init();
const q = Float64Array.of(${point(q[0]).join(', ')});
const k = Float64Array.of(
${lines(k.map(point))}
);
const v = Float64Array.of(
${lines(pairs)}
);
const { weights, output } = ch.attention(q, k, v, {
  headDim: 2,
  temperature: ${T},
  want: { weights: true },
});
console.log(weights, output);`;
}
