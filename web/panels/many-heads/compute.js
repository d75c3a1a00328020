/** The inputs of the machine, and the answers of the kernels. */
import { headInputs } from '../../math/data.js';
import { fittingGroups } from './fitting.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {ReturnType<typeof import('./state.js').state>} MachineState */

/** The last inputs, so that moving T or a mask does not draw them again. */
const inputs = {
  name: '',
  arrays: headInputs({ seed: 0, H: 1, G: 1, n: 1, d: 1, kind: 'normal' }),
};

/** @param {Parameters<typeof headInputs>[0] & { poison: number }} shape */
function inputsOf(shape) {
  const name = JSON.stringify(shape);
  if (inputs.name === name) return inputs.arrays;
  const arrays = headInputs(shape);
  if (shape.poison >= 0 && shape.poison < shape.n) arrays.k[shape.poison * shape.d] = NaN;
  Object.assign(inputs, { name, arrays });
  return arrays;
}

/** @param {Engine} engine @param {MachineState} state */
export function compute(engine, state) {
  const H = state.H.value;
  const G = fittingGroups(H, state.G.value);
  const n = state.n.value;
  const d = state.d.value;
  const T = state.T.value;
  const mask = { causal: state.causal.value, reach: state.reach.value };
  const { q, k, v } = inputsOf({
    seed: state.seed.value,
    H,
    G,
    n,
    d,
    kind: state.kind.value,
    poison: state.poison.value,
  });
  const window = /** @type {[number, number]} */ (
    mask.reach < n - 1 ? [mask.reach, mask.reach] : [Infinity, Infinity]
  );
  const shape = {
    heads: H,
    kvHeads: G,
    headDim: d,
    valueDim: d,
    temperature: T,
    causal: mask.causal,
    window,
  };
  const { output, stats, lse } = engine.attention(q, k, v, {
    ...shape,
    want: { stats: true, lse: true },
  });
  const { weights } = engine.attention(q, k, v, { ...shape, want: { weights: true } });
  if (!weights || !stats || !lse) throw new Error('the engine did not return what was asked for');
  const mean = (/** @type {Float32Array} */ values, /** @type {number} */ h) =>
    values.subarray(h * n, (h + 1) * n).reduce((a, b) => a + b, 0) / n;
  const heads = Array.from({ length: H }, (_, h) => h);
  return {
    run: { H, G, n, d, T, mask, q, k, v, options: shape, output, weights, stats, lse },
    stats,
    lse,
    rho: heads.map((h) => mean(stats.kl, h)),
    entropy: heads.map((h) => mean(stats.entropy, h)),
  };
}
