/** The inside of a model, on every engine. */
import { random } from '../support/random.js';

export const numbers = (seed, length) => {
  const r = random(seed);
  return Float32Array.from({ length }, () => r.normal());
};

/** A model with every kind of intervention: its recordings, lens, ledger and a sweep. */
export async function inside(model) {
  const prompt = [1, 5, 9, 30, 12, 7, 5, 9];
  const { modelDim, headDim } = model.config;
  const other = await model.trace(prompt.toReversed(), { record: ['z', 'resid_mid'] });
  model.intervene([
    { layer: 0, head: 1, gain: 0.5 },
    { layer: 0, head: 0, gain: 'mean' },
    { layer: 0, add: numbers(21, modelDim), gain: 0.5, positions: [2, 7] },
    { layer: 1, at: 'z', head: 2, add: numbers(22, headDim) },
    { layer: 1, knockOut: { queries: [4, 7], keys: [0, 3] } },
    { layer: 1, head: 3, pattern: 'previous' },
    { layer: 2, head: 0, pattern: 'uniform' },
    { layer: 2, head: 1, temperature: 0.5 },
    { layer: 2, head: 2, patch: 'z', from: other },
    { layer: 2, patch: 'resid_mid', from: other, positions: [7] },
  ]);
  const record = ['resid_pre', 'z', 'attn_out', 'resid_mid', 'mlp_out', 'resid_post', 'pattern'];
  const trace = await model.trace(prompt, { record });
  const { heads } = model.step(3, { observe: { spans: [[0, 4]], stats: true } });
  const results = [
    trace,
    heads.spans,
    (await model.lens(7)).logits,
    (await model.ledger(7, [4, 9], { sources: true })).heads,
    (await model.sweep(prompt, { ablate: 'mean', metric: 'difference', token: 4, against: 3 }))
      .changes,
  ];
  model.dispose();
  return results;
}
