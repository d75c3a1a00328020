/** Code that computes the nats that one head spends, on the inputs of this panel. */
import { ENGINE, HEAD_INPUTS, NORMALS } from '../../math/data-code.js';

/** @param {ReturnType<typeof import('./compute.js').settingOf> & { head: number }} setting */
export function codeOf({ H, G, n, d, T, mask, seed, kind, poison, head }) {
  const window = mask.reach < n - 1 ? `\n  window: [${mask.reach}, ${mask.reach}],` : '';
  const nan = poison >= 0 && poison < n ? `k[${poison} * d] = NaN;\n` : '';
  return `${ENGINE}

${NORMALS}
${HEAD_INPUTS}

const [n, d] = [${n}, ${d}];
const { q, k, v } = headInputs({ seed: ${seed}, H: ${H}, G: ${G}, n, d, kind: '${kind}' });
${nan}const { stats } = ch.attention(q, k, v, {
  heads: ${H},
  kvHeads: ${G},
  headDim: d,
  temperature: ${T},
  causal: ${mask.causal},${window}
  want: { stats: true },
});
const rows = stats.kl.subarray(${head} * n, ${head + 1} * n);
console.log({ head: ${head}, spends: rows.reduce((sum, x) => sum + x, 0) / n, of: Math.log(n) });`;
}
