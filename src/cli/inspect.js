/** clearhead inspect: scores of the heads, the lens and the ledger of a prompt, and ablations. */
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { ClearheadError, init } from '../js/index.js';
import { loadModel } from '../js/model/index.js';
import { CHANGES, changeOptions, named, readChanges } from './changes.js';
import { QUESTION, questionOptions, readQuestion } from './inspect-question.js';
import { inspect } from './inspect-report.js';
import { inWords } from './inspect-words.js';
import { FILE, modelAt, progressBar } from './model-file.js';

export const usage = `  clearhead inspect [options] FILE PROMPT
      Looks inside a model while it reads PROMPT, for example:
        clearhead inspect --ablate 2.3 model.gguf "A red ball. Tom has a red"
      It shows the scores of all heads, the likeliest next tokens after each
      layer (logit lens), and the logit of the likeliest one as a sum over heads
      and layers (ledger). With --intervene or --ablate it compares the next
      tokens before and after instead. docs/look-inside.md of the repository
      explains each.
      ${FILE}
${CHANGES}
${QUESTION}
        --threads N              1 to 16; default: as many as the machine has,
                                 at most 4
        --json                   one object with all of these numbers`;

export const options = {
  ...changeOptions,
  ...questionOptions,
  threads: { type: 'string' },
  json: { type: 'boolean' },
};
export const positionals = true;

/**
 * @param {import('./inspect-question.js').Given & { threads?: string, json?: boolean }} given
 * @param {string[]} words
 * @returns {Promise<number>} exit status
 */
export async function run(given, [file, prompt, ...rest]) {
  if (!prompt)
    throw new ClearheadError(
      'ARG',
      (file ? 'PROMPT is missing; expected a text after FILE' : 'FILE and PROMPT are missing') +
        ', as in: clearhead inspect model.gguf "Once upon a time"',
    );
  if (rest.length)
    throw new ClearheadError(
      'ARG',
      `after PROMPT there is "${rest[0].slice(0, 40)}"; expected one text, in quotes`,
    );
  const question = readQuestion(given);
  const changes = await readChanges(given);
  const threads = threadsOf(given.threads);
  const bar = progressBar();
  let engine;
  try {
    engine = await init({ layers: true, threads });
    const model = await loadModel(await modelAt(file), { engine, onProgress: bar.show });
    bar.clear();
    const report = await inspect(model, prompt, changes, question, given.json === true);
    process.stdout.write(
      given.json ? `${JSON.stringify(report, null, 2)}\n` : inWords(report, question.top),
    );
    return 0;
  } catch (error) {
    throw named(error, changes);
  } finally {
    bar.clear();
    engine?.dispose();
  }
}

/** @param {string | undefined} text */
function threadsOf(text) {
  if (text === undefined) return Math.min(4, availableParallelism());
  if (!/^\d{1,2}$/.test(text) || Number(text) < 1 || Number(text) > 16)
    throw new ClearheadError('ARG', `--threads is "${text.slice(0, 40)}"; expected 1 to 16`);
  return Number(text);
}
