/** Lets a model write stories, and looks whether a plot could have told them. */
import { recognise } from './recognise.js';

/** The temperature of the stories that are counted. */
export const TAU = 0.3;
/** A story has at most 250 tokens. One that goes on for longer has no end. */
const MAX_TOKENS = 400;

/**
 * Stories from nothing, the first with seed 1, the next with seed 2.
 * @param {import('../../../src/js/model/api.d.ts').Model} model
 * @param {{ count: number, tau: number }} options tau: sampling temperature
 */
export async function sample(model, { count, tau }) {
  /** @type {{ seed: number, text: string, plot: string, at: number, wrong: string[] }[]} */
  const broken = [];
  for (let seed = 1; seed <= count; seed++) {
    let text = '';
    for await (const { text: piece } of model.generate('', { tau, seed, maxTokens: MAX_TOKENS }))
      text += piece;
    const { whole, ...found } = recognise(text);
    if (!whole) broken.push({ seed, text, ...found });
  }
  return { whole: count - broken.length, total: count, broken };
}
