/**
 * How often `model.rank` puts the right passage first: four exercises of training/stories are the
 * passages, and a question is about one of them alone. Chance is a quarter.
 *
 *   node bench/inspect/rank.js FILE [SETS]
 *
 * FILE is GGUF, or safetensors with config.json and tokenizer.json beside it. SETS is 200 by
 * default.
 */
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { tellExercise } from '../../training/stories/world/exercises.js';

const SEED = 777;
const LEVEL = 3;
const PASSAGES = 4;

const [file, count = '200'] = process.argv.slice(2);
if (!file) {
  console.error('usage: node bench/inspect/rank.js FILE [SETS]');
  process.exit(2);
}
const engine = await init({ layers: true, threads: 1 });
const model = await loadModel(pathToFileURL(file), { engine });
const { layers, heads } = model.config;

/** The last words of a question, as “red ball” of “Who has the red ball?” @param {string} text */
const thingOf = (text) => text.replace('?', '').split(' ').slice(-2).join(' ');

/** Sets of passages, and a question that one of them alone answers. @param {number} sets */
function* questions(sets) {
  for (let index = 0, made = 0; made < sets; index += PASSAGES) {
    const told = Array.from({ length: PASSAGES }, (_, x) => tellExercise(SEED, index + x, LEVEL));
    const right = made % PASSAGES;
    const [question] = told[right].questions;
    const passages = told.map(({ body }) => body);
    const thing = question && thingOf(question.text);
    if (!thing || passages.some((body, x) => x !== right && body.includes(thing))) continue;
    yield { question: question.text, passages, right };
    made++;
  }
}

/** @type {{ name: string, heads?: [number, number][] }[]} */
const groups = [
  { name: 'all heads' },
  ...Array.from({ length: layers }, (_, layer) => ({
    name: `layer ${layer}`,
    heads: Array.from(
      { length: heads },
      (__, head) => /** @type {[number, number]} */ ([layer, head]),
    ),
  })),
];
const right = groups.map(() => ({ calibrated: 0, plain: 0 }));
for (const asked of questions(Number(count)))
  for (const [at, { heads: chosen }] of groups.entries()) {
    const rank = async (/** @type {object} */ more) => {
      const options = { ...(chosen && { heads: chosen }), ...more };
      const [best] = await model.rank(asked.question, asked.passages, options);
      return Number(best.index === asked.right);
    };
    right[at].calibrated += await rank({});
    right[at].plain += await rank({ calibration: null });
  }

console.log(`the right one of ${PASSAGES} passages is first, in ${count} sets; chance is 25 %`);
console.log(`${''.padEnd(12)}${'calibrated'.padStart(12)}${'plain'.padStart(12)}`);
const percent = (/** @type {number} */ n) => `${((100 * n) / Number(count)).toFixed(1)} %`;
groups.forEach(({ name }, at) =>
  console.log(
    `${name.padEnd(12)}${percent(right[at].calibrated).padStart(12)}` +
      percent(right[at].plain).padStart(12),
  ),
);
model.dispose();
engine.dispose();
