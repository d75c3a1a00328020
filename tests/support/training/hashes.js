/**
 * Hashes of the stories, the tokenizer, the first batches of each phase, and the model after its
 * first steps. It imports nothing that only some engines have, so it runs in browsers too.
 */
import { createTrainer } from '../../../src/js/train/index.js';
import { begin } from '../../../training/stories/first.js';
import { MODEL, PHASES, SEED, TRAINING } from '../../../training/stories/recipe.js';
import { batchOf } from '../../../training/stories/tokens/stream.js';
import { learnTokenizer, openTokenizer } from '../../../training/stories/tokens/tokenizer.js';
import { tellStory } from '../../../training/stories/world/index.js';

/** @param {BufferSource} bytes */
async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
const hashOfText = (text) => sha256(new TextEncoder().encode(text));

/** The batch of a step of a phase. */
const batchIn = (phase, tokenizer, step) => batchOf({ ...phase, tokenizer, seed: SEED }, step);

/** The parameters and moments after some first steps of the first phase and of the last one. */
async function trained(tokenizer) {
  const first = await createTrainer(MODEL, TRAINING);
  begin(first, SEED);
  const train = async (trainer, phase, steps) => {
    for (let step = 0; step < steps; step++) {
      const { tokens, targets } = batchIn(phase, tokenizer, step);
      await trainer.step(tokens, { targets });
    }
  };
  await train(first, PHASES[0], 4);
  const { batch, context, optimizer } = PHASES.at(-1);
  const last = await createTrainer(MODEL, { seed: SEED, batch, context, optimizer });
  last.restore(first.state());
  await train(last, PHASES.at(-1), 2);
  const state = last.state();
  for (const trainer of [first, last]) trainer.dispose();
  return new Blob([state.parameters, state.firstMoments, state.secondMoments]).arrayBuffer();
}

export async function hashes() {
  const stories = Array.from({ length: 1000 }, (_, index) => JSON.stringify(tellStory(1, index)));
  const file = learnTokenizer();
  const tokenizer = await openTokenizer(file);
  const batches = PHASES.flatMap((phase) =>
    phase.kinds.map((_, step) => batchIn(phase, tokenizer, step)),
  );
  const ids = batches.flatMap(({ tokens, targets }) => [...tokens, ...targets]);
  return {
    stories: await hashOfText(stories.join('\n')),
    tokenizer: await hashOfText(JSON.stringify(file)),
    batches: await hashOfText(ids.join(' ')),
    model: await sha256(await trained(tokenizer)),
  };
}
