/**
 * Measures a model that writes stories. It prints the share of right answers, of random
 * repeats that are continued, and the perplexity. It tells how many of its own stories are whole,
 * and the scores of heads in a table. The exit code is 1 where a goal is missed.
 *
 *   node training/stories/evaluate.js FILE [--json] [--questions N] [--stories N] [--repeats N]
 *     [--samples N]
 *
 * FILE is GGUF, or safetensors with config.json and tokenizer.json beside it.
 */
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { loadModel } from '../../src/js/model/index.js';
import { DEFINITIONS } from '../../src/js/model/inspect/definitions.js';
import { SCORES, SIZES, evaluate, verdicts } from './evaluation/index.js';
import { TAU } from './evaluation/samples.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    questions: { type: 'string', default: `${SIZES.questions}` },
    stories: { type: 'string', default: `${SIZES.stories}` },
    repeats: { type: 'string', default: `${SIZES.repeats}` },
    samples: { type: 'string', default: `${SIZES.samples}` },
  },
});
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;

/**
 * Where a story that the model wrote is no longer one of the world.
 * @param {import('./evaluation/index.js').Evaluation['written']['broken'][number]} story
 */
function breakOf({ seed, text, at, wrong }) {
  const words = (/** @type {number} */ from, /** @type {number} */ to) =>
    text.slice(Math.max(0, from), to).replace(/\s+/g, ' ');
  if (wrong.length) return `seed ${seed}: wrong: ${wrong.join(' | ')}`;
  return `seed ${seed}: “… ${words(at - 50, at)}” and then “${words(at, at + 30)}”`;
}

/** @param {import('./evaluation/index.js').Evaluation} evaluation */
function print(evaluation) {
  const { answers, induction, perplexity, tokens, heads, written } = evaluation;
  console.log(`answers    ${answers.right} of ${answers.total} right`);
  for (const [kind, { right, total }] of Object.entries(answers.kinds))
    console.log(`  ${kind.padEnd(8)} ${right} of ${total}`);
  for (const { question, expected, said } of answers.wrong.slice(0, 10))
    console.log(`  wrong: ${question} ${said.slice(0, 40)} (${expected})`);
  console.log(`induction  ${induction.right} of ${induction.total} right`);
  console.log(`perplexity ${perplexity.toFixed(4)} over ${tokens} tokens`);
  console.log(
    `written    ${written.whole} of ${written.total} are whole, at a temperature of ${TAU}`,
  );
  for (const story of written.broken.slice(0, 10)) console.log(`  ${breakOf(story)}`);
  console.log();
  console.log(`layer head ${SCORES.map((name) => name.padStart(9)).join(' ')}  labels`);
  for (const { layer, head, scores, labels } of heads) {
    const numbers = SCORES.map((name) => (scores[name] ?? 0).toFixed(3).padStart(9)).join(' ');
    console.log(
      `${`${layer}`.padStart(5)} ${`${head}`.padStart(4)} ${numbers}  ${labels.join(', ')}`,
    );
  }
  console.log();
  for (const name of SCORES) {
    const { threshold, is, on } = DEFINITIONS[name];
    console.log(`${name.padEnd(9)} from ${threshold}: ${is} (${on})`);
  }
  console.log();
  for (const { name, measured, goal, met } of verdicts(evaluation))
    console.log(`${name}: ${percent(measured)}, goal ${percent(goal)}, ${met ? 'met' : 'missed'}`);
}

const [file] = positionals;
if (file) {
  const model = await loadModel(pathToFileURL(file));
  const sizes = ['questions', 'stories', 'repeats', 'samples'];
  const asked = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      sizes.includes(name) ? [[name, Number(value)]] : [],
    ),
  );
  const evaluation = await evaluate(model, asked);
  if (values.json) console.log(JSON.stringify(evaluation, null, 1));
  else print(evaluation);
  process.exitCode = verdicts(evaluation).every(({ met }) => met) ? 0 : 1;
} else {
  console.error('usage: node training/stories/evaluate.js FILE [--json] [--questions N]');
  process.exitCode = 2;
}
