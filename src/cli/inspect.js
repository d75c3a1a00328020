/** clearhead inspect: scores of the heads, the lens and the ledger of a prompt, and ablations. */
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { ClearheadError, init } from '../js/index.js';
import { loadModel } from '../js/model/index.js';
import { logProbabilities } from '../js/model/inspect/log-softmax.js';
import { CHANGES, changeOptions, makeChanges, named, readChanges } from './changes.js';
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
        --threads N              1 to 16; default: as many as the machine has,
                                 at most 4
        --json                   one object with all of these numbers`;

export const options = {
  ...changeOptions,
  threads: { type: 'string' },
  json: { type: 'boolean' },
};
export const positionals = true;

/** How many of the likeliest tokens are told. */
const TOP = 5;

/**
 * @typedef {import('../js/model/api.d.ts').Model} Model
 * @typedef {{ token: number, text: string, probability: number }} Likely
 * @typedef {{ layer: number, head: number, gain: number | 'mean' }} Head
 *
 * @typedef {object} Report
 * @property {string} prompt
 * @property {{ token: number, text: string }[]} tokens
 * @property {Likely[]} next the likeliest tokens behind the prompt
 * @property {import('../js/model/api.d.ts').HeadScores['definitions']} definitions
 * @property {import('../js/model/api.d.ts').ScoredHead[]} heads
 * @property {Likely[][]} lens of the last position, layer by layer
 * @property {Ledger} ledger
 * @property {Ablation} [ablation] with --intervene or --ablate
 *
 * @typedef {object} Ledger of the likeliest token
 * @property {number} token
 * @property {string} text
 * @property {number} logit
 * @property {number} embedding
 * @property {number[][]} heads by layer
 * @property {number[]} feedForward by layer
 * @property {number[]} biases by layer
 * @property {number} rounding of the last input
 * @property {number} rest
 * @property {import('../js/model/api.d.ts').Ledger['identity']} identity
 *
 * @typedef {object} Ablation
 * @property {string} [file] of the list
 * @property {unknown[]} [interventions] its list
 * @property {Head[]} heads of --ablate
 * @property {Likely[]} next the likeliest tokens with these changes
 * @property {number} before log-probability of the token that was likeliest without them
 * @property {number} after
 */

/**
 * @param {{ intervene?: string, ablate?: string[], threads?: string, json?: boolean }} given
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
  const changes = await readChanges(given);
  const threads = threadsOf(given.threads);
  const bar = progressBar();
  let engine;
  try {
    engine = await init({ layers: true, threads });
    const model = await loadModel(await modelAt(file), { engine, onProgress: bar.show });
    bar.clear();
    const report = await inspect(model, prompt, changes);
    process.stdout.write(given.json ? `${JSON.stringify(report, null, 2)}\n` : inWords(report));
    return 0;
  } catch (error) {
    throw named(error, changes);
  } finally {
    bar.clear();
    engine?.dispose();
  }
}

/**
 * @param {Model} model
 * @param {string} prompt
 * @param {import('./changes.js').Changes} changes
 * @returns {Promise<Report>}
 */
async function inspect(model, prompt, changes) {
  const { tokenizer } = model;
  if (!tokenizer)
    throw new ClearheadError(
      'ARG',
      'the model has no tokenizer; expected tokenizer.json beside the weights, or a GGUF file',
    );
  await makeChanges(model, changes, prompt);
  const { interventions } = model;
  model.intervene([]);
  const ids = tokenizer.encode(prompt);
  const { definitions, heads } = await model.heads.scores();
  const { logits, lens } = await read(model, ids);
  const next = lens[lens.length - 1];
  const [{ token, text }] = next;
  /** @type {Report} */
  const report = {
    prompt,
    tokens: ids.map((id) => ({ token: id, text: textOf(tokenizer, id) })),
    next,
    definitions,
    heads,
    lens,
    ledger: { token, text, ...(await partsOf(model, ids.length - 1, token)) },
  };
  const { file, list, gains } = changes;
  if (file === undefined && !gains.length) return report;

  model.intervene(interventions);
  const without = await read(model, ids);
  return {
    ...report,
    ablation: {
      ...(file !== undefined && { file, interventions: list }),
      heads: gains,
      next: without.lens[without.lens.length - 1],
      before: logProbabilities(logits)[token],
      after: logProbabilities(without.logits)[token],
    },
  };
}

/**
 * Reads a prompt from its beginning. Gives the logits behind it, and the likeliest tokens after
 * each layer.
 * @param {Model} model
 * @param {number[]} ids
 */
async function read(model, ids) {
  model.cache.clear();
  const { logits } = model.prefill(ids);
  const { top } = await model.lens(ids.length - 1, { top: TOP });
  const lens = top.map((row) =>
    row.map(({ token, probability }) => ({
      token,
      text: textOf(model.tokenizer, token),
      probability,
    })),
  );
  return { logits, lens };
}

/** A token as it is read within a text. @param {Model['tokenizer']} tokenizer @param {number} id */
const textOf = (tokenizer, id) => tokenizer?.decode([id], { special: true, continued: true }) ?? '';

/**
 * The parts of a logit.
 * @param {Model} model
 * @param {number} position
 * @param {number} token
 */
async function partsOf(model, position, token) {
  const { embedding, heads, feedForward, biases, rounding, rest, identity } = await model.ledger(
    position,
    token,
  );
  const { layers, heads: width } = model.config;
  return {
    logit: identity.left,
    embedding,
    heads: Array.from({ length: layers }, (_, layer) => [
      ...heads.subarray(layer * width, (layer + 1) * width),
    ]),
    feedForward: [...feedForward],
    biases: [...biases],
    rounding,
    rest,
    identity,
  };
}

/** @param {string | undefined} text */
function threadsOf(text) {
  if (text === undefined) return Math.min(4, availableParallelism());
  if (!/^\d{1,2}$/.test(text) || Number(text) < 1 || Number(text) > 16)
    throw new ClearheadError('ARG', `--threads is "${text.slice(0, 40)}"; expected 1 to 16`);
  return Number(text);
}
