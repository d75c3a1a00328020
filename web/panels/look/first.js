/** The story of the first frame: a prompt, and the tokens that a model writes greedily. */
import { createSampler } from '../../../src/js/model/sampling/sample.js';
import { mostTelling, Story } from './writing/story.js';

/**
 * @param {import('../../../src/js/model/api.d.ts').Model} model
 * @param {{ prompt: string, tokens: number }} how
 */
export function tellFirst(model, { prompt, tokens }) {
  const { tokenizer, config } = model;
  if (!tokenizer) throw new Error('the model of the first frame has no tokenizer');
  const story = new Story(config, tokens);
  const ids = tokenizer.encode(prompt);
  // the first word has no space before it, though its token may have one
  const first = ids[0] === tokenizer.bos ? 1 : 0;
  const add = (/** @type {number} */ id, /** @type {Float32Array | undefined} */ logits) => {
    const text = tokenizer.decode([id], { continued: story.tokens.length > first });
    story.add({ id, text }, logits);
  };
  for (const id of ids) add(id, undefined);
  const sampler = createSampler();
  model.cache.clear();
  for (let i = 0; i < story.tokens.length; i++) {
    const { logits, heads } = model.step(story.tokens[i].id, { observe: 'weights' });
    story.record(i, heads, logits);
    if (i < story.tokens.length - 1 || story.full) continue;
    const { token } = sampler.sample(logits);
    if (tokenizer.ends.has(token)) break;
    add(token, logits);
  }
  return { story, ...mostTelling(story) };
}
