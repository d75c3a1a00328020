/** Makes the queries, keys and values of all heads, and runs attention over them in a worker. */
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

/** All that the answers depend on. @param {MachineState} state */
export const settingOf = ({ H, G, n, d, T, causal, reach, seed, kind, poison }) => ({
  H: H.value,
  G: fittingGroups(H.value, G.value),
  n: n.value,
  d: d.value,
  T: T.value,
  mask: { causal: causal.value, reach: reach.value },
  seed: seed.value,
  kind: kind.value,
  poison: poison.value,
});

/** @param {Engine} engine @param {ReturnType<typeof settingOf>} setting */
export function compute(engine, { H, G, n, d, T, mask, ...data }) {
  const { q, k, v } = inputsOf({ ...data, H, G, n, d });
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
  return { H, G, n, d, T, mask, q, k, v, options: shape, output, weights, stats, lse };
}
