/** The weights of this panel, in code that runs anywhere. */

const point = (/** @type {number} */ degrees) => {
  const angle = (degrees * Math.PI) / 180;
  return [Math.cos(angle), Math.sin(angle)];
};

/** @param {{ T: number, q: readonly number[], k: readonly number[] }} state degrees */
export function codeOf({ T, q, k }) {
  const keys = k.map((degrees) => `  ${point(degrees).join(', ')},`).join('\n');
  return `import { init } from 'clearhead';

const ch = await init();
const q = Float64Array.of(${point(q[0]).join(', ')});
const k = Float64Array.of(
${keys}
);
const { weights } = ch.attention(q, k, k, {
  headDim: 2,
  temperature: ${T},
  want: { weights: true },
});
console.log(weights);`;
}
