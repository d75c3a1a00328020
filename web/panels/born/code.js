/** Code that trains the model of this panel, for a reader to copy. */
import { CONFIG, INTERVAL, OPTIONS, STEPS } from '../../../training/induction/recipe.js';

/** @param {number} seed @param {number} [steps] */
export const codeOf = (seed, steps = STEPS) => `import { createTrainer } from 'clearhead/train';
import { batchOf, unseen } from './recipe.js'; // of training/induction in the repository

const trainer = await createTrainer(
  ${JSON.stringify(CONFIG)},
  { ...${JSON.stringify(OPTIONS)}, seed: ${seed} },
);
const { tokens, targets, sequences } = unseen();
for (let step = 0; step <= ${steps}; step++) {
  if (step % ${INTERVAL} === 0) {
    const { loss } = await trainer.evaluate(tokens, { targets });
    const { previousToken, induction } = await trainer.heads(sequences);
    console.log({
      step,
      loss,
      previousToken: Math.max(...previousToken),
      induction: Math.max(...induction),
    });
  }
  const batch = batchOf(${seed}, step);
  await trainer.step(batch.tokens, { targets: batch.targets });
}`;
