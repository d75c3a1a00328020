/** The scores of heads that the panel sums up, beside those of the trainer. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTrainer } from '../../../src/js/train/index.js';
import { batchOf, CONFIG, OPTIONS, unseen } from '../../../training/induction/recipe.js';
import { compareScores } from '../../../web/panels/born/scores-checked.js';
import { rows } from '../../../web/panels/born/worker.js';

const { context } = OPTIONS;
const { sequences, tokens } = unseen();
let trainer;
let found;
let scores;
before(async () => {
  trainer = await createTrainer(CONFIG, { ...OPTIONS, seed: 3 });
  for (let step = 0; step < 2; step++) {
    const batch = batchOf(3, step);
    await trainer.step(batch.tokens, { targets: batch.targets });
  }
  scores = { step: 2, loss: 0, ...(await trainer.heads(sequences)) };
  found = await rows(undefined, await trainer.save(), tokens, context);
});
after(() => trainer.dispose());

test('sums over the rows of a model are the scores of its trainer', () => {
  const { measured, allowed } = compareScores(found.weights, tokens, scores);
  assert.ok(measured <= allowed, `${measured}, allowed ${allowed}`);
});

test('a score of another head and a row of another letter are seen', () => {
  const induction = [...scores.induction.slice(1), scores.induction[0]];
  const wrong = compareScores(found.weights, tokens, { ...scores, induction });
  assert.ok(wrong.measured > wrong.allowed);
  const moved = Int32Array.from(tokens, (_, i) => tokens[(i + 1) % tokens.length]);
  assert.ok(compareScores(found.weights, moved, scores).measured > wrong.allowed);
});

test('each row adds up to one, and its budget is that of the row', () => {
  const triangle = (context * (context + 1)) / 2;
  const i = context - 1;
  const row = found.weights.subarray(triangle - context, triangle);
  const sum = row.reduce((total, p) => total + p, 0);
  const rho = row.reduce((total, p) => total + p * Math.log(p * context), 0);
  assert.ok(Math.abs(sum - 1) < 1e-5);
  assert.ok(Math.abs(rho - found.budgets[i]) < 1e-5);
});
