/** Makes the queries, keys and values of all heads, and runs attention over them in a worker. */
import { headInputs } from '../../math/data.js';
import { fittingGroups } from './fitting.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {ReturnType<typeof import('./state.js').state>} MachineState */
/** @typedef {ReturnType<typeof settingOf>} Setting */

/**
 * The last inputs, with the keys of the heads shared and with those of their own. Moving T or a
 * mask does not draw them again.
 * @type {Map<string, ReturnType<typeof headInputs>>}
 */
const inputs = new Map();

/** @param {Parameters<typeof headInputs>[0] & { poison: number }} shape */
function inputsOf(shape) {
  const name = JSON.stringify(shape);
  const known = inputs.get(name);
  const arrays = known ?? headInputs(shape);
  if (!known && shape.poison >= 0 && shape.poison < shape.n) arrays.k[shape.poison * shape.d] = NaN;
  // the one that was used longest ago goes first
  inputs.delete(name);
  if (inputs.size > 1) inputs.delete([...inputs.keys()][0]);
  inputs.set(name, arrays);
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

/** The arrays of a setting, and the options of attention. @param {Setting} setting */
function preparedOf({ H, G, n, d, T, mask, ...data }) {
  const window = /** @type {[number, number]} */ (
    mask.reach < n - 1 ? [mask.reach, mask.reach] : [Infinity, Infinity]
  );
  const sizes = { heads: H, kvHeads: G, headDim: d, valueDim: d };
  const options = { ...sizes, temperature: T, causal: mask.causal, window };
  return { ...inputsOf({ ...data, H, G, n, d }), options };
}

/** @param {Engine} engine @param {ReturnType<typeof preparedOf>} prepared */
function weightsOf(engine, { q, k, v, options }) {
  const { weights } = engine.attention(q, k, v, { ...options, want: { weights: true } });
  if (!weights) throw new Error('the engine returned no weights');
  return weights;
}

/** @param {Engine} engine @param {Setting} setting */
export function compute(engine, setting) {
  const { H, G, n, d, T, mask } = setting;
  const prepared = preparedOf(setting);
  const { q, k, v, options } = prepared;
  const want = /** @type {const} */ ({ stats: true, lse: true });
  const { output, stats, lse } = engine.attention(q, k, v, { ...options, want });
  if (!stats || !lse) throw new Error('the engine did not return what was asked for');
  const weights = weightsOf(engine, prepared);
  return { H, G, n, d, T, mask, q, k, v, options, output, weights, stats, lse };
}

/** The weights of the heads with keys of their own, for the last setting. */
const apart = { name: '', weights: new Float32Array() };

/**
 * The part of its weight that each head moves to other keys, the mean over its queries. A query
 * that reads a NaN is left out. A head of such queries has NaN.
 * @param {ArrayLike<number>} weights (H, n, n) @param {ArrayLike<number>} before (H, n, n)
 * @param {{ H: number, n: number }} shape
 */
export function movedParts(weights, before, { H, n }) {
  return Array.from({ length: H }, (_, h) => {
    let total = 0;
    let queries = 0;
    for (let i = 0; i < n; i++) {
      let part = 0;
      for (let at = (h * n + i) * n; at < (h * n + i + 1) * n; at++)
        part += Math.abs(weights[at] - before[at]) / 2;
      if (Number.isNaN(part)) continue;
      total += part;
      queries++;
    }
    return total / queries;
  });
}

/**
 * How far sharing moves the weights of each head, from those that it has with keys of its own.
 * @param {Engine} engine @param {Setting} setting
 * @param {Float32Array} weights (H, n, n) that the heads have in this setting
 */
export function movedBySharing(engine, setting, weights) {
  const own = { ...setting, G: setting.H };
  const name = JSON.stringify(own);
  if (setting.G === setting.H) return movedParts(weights, weights, setting);
  if (apart.name !== name)
    Object.assign(apart, { name, weights: weightsOf(engine, preparedOf(own)) });
  return movedParts(weights, apart.weights, setting);
}
