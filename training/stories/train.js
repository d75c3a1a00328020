/**
 * Trains the model that comes with the page. The bytes of its files are the same on every machine.
 * A run that was stopped goes on from its last checkpoint.
 *
 *   npm run train -- [--threads N] [--folder FOLDER] [--steps N] [--minutes M] [--ship]
 *
 * FOLDER (build/training) gets the checkpoint, every M minutes (3), and the files in the end. With
 * --ship they go to web/model as well. Without it a whole run ends in exit code 1 where they are
 * not those of web/model/SHA256SUMS. A checkpoint of another recipe is refused.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PHASES, STEPS } from './recipe.js';
import { inPhase, modelFiles, openTrainer, run, sumsOf } from './run.js';

const SHIPPED = fileURLToPath(new URL('../../web/model', import.meta.url));
const { values } = parseArgs({
  options: {
    threads: { type: 'string', default: '2' },
    folder: { type: 'string', default: 'build/training' },
    steps: { type: 'string', default: `${STEPS}` },
    minutes: { type: 'string', default: '3' },
    ship: { type: 'boolean', default: false },
  },
});
const { folder, ship } = values;
const steps = Number(values.steps);

const threads = Number(values.threads);
let trainer = await openTrainer(folder, threads);
console.log(`${trainer.parameterCount} parameters; step ${trainer.steps} of ${steps}`);
if (trainer.steps >= steps) console.log(`nothing is left to train; ${folder} has the checkpoint`);
const stop = new AbortController();
process.once('SIGINT', () => {
  console.log('stopping: one more step, then a checkpoint');
  stop.abort();
});
let end = 0;
for (const { steps: count, batch, context, optimizer, ...stream } of PHASES) {
  end = Math.min(steps, end + count);
  if (trainer.steps >= end || stop.signal.aborted) continue;
  trainer = await inPhase(trainer, { batch, context, optimizer }, threads);
  await run(trainer, {
    folder,
    steps: end,
    minutes: Number(values.minutes),
    stream,
    signal: stop.signal,
    report({ step, loss, tokensPerSecond }) {
      const remaining = ((end - step) * batch * context) / tokensPerSecond / 60;
      console.log(
        `step ${step}  loss ${loss.toFixed(4)}  ${tokensPerSecond.toFixed(0)} tokens/s  ` +
          `${remaining.toFixed(0)} minutes left in this phase`,
      );
    },
  });
}

if (trainer.steps === steps) {
  const files = modelFiles(trainer);
  const sums = sumsOf(files);
  for (const target of ship ? [folder, SHIPPED] : [folder]) {
    mkdirSync(target, { recursive: true });
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(target, name), bytes);
    writeFileSync(join(target, 'SHA256SUMS'), sums);
  }
  console.log(sums);
  const stated = join(SHIPPED, 'SHA256SUMS');
  if (steps !== STEPS) console.log(`web/model has the model of ${STEPS} steps.`);
  else if (existsSync(stated)) {
    const same = readFileSync(stated, 'utf8') === sums;
    console.log(
      same ? 'These are the bytes of web/model.' : 'These are NOT the bytes of web/model.',
    );
    if (!same) process.exitCode = 1;
  } else console.log('web/model has no files yet.');
}
trainer.dispose();
