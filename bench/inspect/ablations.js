/**
 * Which heads matter: each head is removed, for each prompt, and a table shows the change of the
 * log-probability of the likeliest next token. A head whose removal changes that token is marked.
 *
 *   node bench/inspect/ablations.js FILE [PROMPT...]
 *
 * FILE is GGUF, or safetensors with config.json and tokenizer.json beside it.
 */
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { loadModel } from '../../src/js/model/index.js';

const PROMPTS = [
  'Once upon a time, there was a little girl named',
  'Tom had a red ball. Sue wanted to play with the',
  'Lily went to the park with her mom. They saw a big',
];

const [file, ...given] = process.argv.slice(2);
if (!file) {
  console.error('usage: node bench/inspect/ablations.js FILE [PROMPT...]');
  process.exit(2);
}
const model = await loadModel(pathToFileURL(file));
const { tokenizer } = model;
if (!tokenizer) throw new Error('the model has no tokenizer');
const { layers, heads } = model.config;
/** A token in quotes. @param {number} id */
const shown = (id) => JSON.stringify(tokenizer.decode([id]));

for (const prompt of given.length ? given : PROMPTS) {
  const { base, answer, answers, changes } = await model.sweep(prompt);
  console.log(`${prompt} → ${shown(answer)}, log p = ${base.toFixed(3)}`);
  console.log(
    `layer  ${Array.from({ length: heads }, (_, head) => `head ${head}`.padStart(8)).join(' ')}`,
  );
  for (let layer = 0; layer < layers; layer++) {
    const row = Array.from({ length: heads }, (_, head) => {
      const at = layer * heads + head;
      return `${changes[at].toFixed(3)}${answers[at] === answer ? ' ' : '*'}`.padStart(8);
    });
    console.log(`${`${layer}`.padStart(5)}  ${row.join(' ')}`);
  }
  const order = [...changes.keys()].sort((a, b) => Math.abs(changes[a]) - Math.abs(changes[b]));
  const name = (/** @type {number} */ at) => `${Math.floor(at / heads)}.${at % heads}`;
  const kept = order.find((at) => answers[at] === answer);
  const lost = order.filter((at) => answers[at] !== answer);
  if (kept !== undefined) console.log(`without ${name(kept)} the answer stays`);
  for (const at of lost) console.log(`without ${name(at)} it is ${shown(answers[at])}`);
  console.log();
}
