/** The numbers of clearhead inspect. */
import { ClearheadError } from '../js/index.js';
import { headName } from '../js/model/inside/head-name.js';
import { logProbabilities } from '../js/model/inspect/log-softmax.js';
import { makeChanges } from './changes.js';
import { oneToken, upTo } from './inspect-question.js';

/** How many of the likeliest tokens are told. */
const TOP = 5;

/**
 * @typedef {import('../js/model/api.d.ts').Model} Model
 * @typedef {import('../js/model/api.d.ts').Tokenizer} Tokenizer
 * @typedef {{ token: number, text: string }} Named
 * @typedef {Named & { probability: number }} Likely
 * @typedef {{ layer: number, head: number, gain: number | 'mean' }} Head
 *
 * @typedef {object} Report
 * @property {string} prompt
 * @property {Named[]} tokens
 * @property {number} position behind which the next token stands
 * @property {Likely[]} next the likeliest tokens there
 * @property {Named} token the likeliest of them, or that of --token
 * @property {Named} [against]
 * @property {import('../js/model/api.d.ts').HeadScores['definitions']} [definitions]
 * @property {import('../js/model/api.d.ts').ScoredHead[]} [heads]
 * @property {Likely[][]} [lens] of the position, layer by layer
 * @property {Ledger} [ledger]
 * @property {Sweep} [sweep] with --sweep
 * @property {Ablation} [ablation] with --intervene or --ablate
 *
 * @typedef {object} Ledger of the token, or of its lead
 * @property {number} token
 * @property {string} text
 * @property {number} logit or the difference of two
 * @property {number} embedding
 * @property {number[][]} heads by layer
 * @property {number[]} feedForward by layer
 * @property {number[]} biases by layer
 * @property {number} rounding of the last input
 * @property {number} rest
 * @property {import('../js/model/api.d.ts').Ledger['identity']} identity
 * @property {number[][][]} [sources] with --sources: by layer, head and position
 *
 * @typedef {object} Sweep each head alone
 * @property {'logprob' | 'difference'} metric
 * @property {number} base without a change
 * @property {number[][]} changes of the metric, by layer
 * @property {Named[][]} answers the likeliest token without the head, by layer
 *
 * @typedef {object} Ablation
 * @property {string} [file] of the list
 * @property {unknown[]} [interventions] its list
 * @property {Head[]} heads of --ablate
 * @property {Likely[]} next the likeliest tokens with these changes
 * @property {number} before log-probability of the token without them
 * @property {number} after
 * @property {{ before: number, after: number }} logit of the token as in the ledger, or its lead
 * @property {number} [part] of the heads in the ledger, where nothing but heads is taken out
 */

/**
 * @param {Model} model
 * @param {string} prompt
 * @param {import('./changes.js').Changes} changes
 * @param {import('./inspect-question.js').Question} question
 * @param {boolean} whole whether changes come beside all tables, and not in their place
 * @returns {Promise<Report>}
 */
export async function inspect(model, prompt, changes, question, whole) {
  const { tokenizer } = model;
  if (!tokenizer)
    throw new ClearheadError(
      'ARG',
      'the model has no tokenizer; expected tokenizer.json beside the weights, or a GGUF file',
    );
  const all = tokenizer.encode(prompt);
  const ids = upTo(all, question.position);
  const named = (/** @type {number} */ token) => ({ token, text: textOf(tokenizer, token) });
  const asked = (/** @type {'token' | 'against'} */ name) =>
    question[name] === undefined ? undefined : oneToken(tokenizer, name, question[name]);
  const [token, against] = [asked('token'), asked('against')];
  await makeChanges(model, changes, prompt);
  const { interventions } = model;
  model.intervene([]);
  const { file, list, gains } = changes;
  const changed = file !== undefined || gains.length > 0;
  const scored = whole || !changed ? await model.heads.scores() : undefined;
  const { logits, lens } = await read(model, ids);
  const next = lens[lens.length - 1];
  const target = token ?? next[0].token;
  if (target === against)
    throw new ClearheadError(
      'ARG',
      `--against is ${JSON.stringify(question.against)}, the token of the ledger itself; ` +
        'expected another token',
    );
  /** @type {Report} */
  const report = {
    prompt,
    tokens: all.map(named),
    position: ids.length - 1,
    next,
    token: named(target),
    ...(against !== undefined && { against: named(against) }),
  };
  const ledgerNow = () => ledgerOf(model, ids.length - 1, target, against, question.sources);
  const ledger = await ledgerNow();
  if (scored) {
    const { definitions, heads } = scored;
    Object.assign(report, { definitions, heads, lens, ledger: { ...named(target), ...ledger } });
    if (question.sweep) report.sweep = await sweepOf(model, ids, target, against);
  }
  if (!changed) return report;

  model.intervene(interventions);
  const without = await read(model, ids);
  report.ablation = {
    ...(file !== undefined && { file, interventions: list }),
    heads: gains,
    next: without.lens[without.lens.length - 1],
    before: logProbabilities(logits)[target],
    after: logProbabilities(without.logits)[target],
    logit: { before: ledger.logit, after: (await ledgerNow()).logit },
    ...(file === undefined && { part: partOf(gains, ledger.heads) }),
  };
  return report;
}

/**
 * The part of heads in a ledger. There is none if one of them is changed and not taken out.
 * @param {Head[]} gains
 * @param {number[][]} heads by layer
 */
function partOf(gains, heads) {
  if (gains.some(({ gain }) => gain !== 0)) return undefined;
  const names = new Set(gains.map((head) => headName(head)));
  return heads
    .flatMap((row, layer) => row.filter((_, head) => names.has(headName({ layer, head }))))
    .reduce((sum, part) => sum + part, 0);
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
 * Rows of `width` numbers.
 * @template T
 * @param {ArrayLike<T>} list
 * @param {number} width
 */
const rowsOf = (list, width) =>
  Array.from({ length: list.length / width }, (_, row) =>
    Array.from({ length: width }, (__, at) => list[row * width + at]),
  );

/**
 * The parts of a logit, or of the difference of two.
 * @param {Model} model
 * @param {number} position
 * @param {number} token
 * @param {number | undefined} against
 * @param {boolean} wantSources
 */
async function ledgerOf(model, position, token, against, wantSources) {
  const of = against === undefined ? token : /** @type {const} */ ([token, against]);
  const { embedding, heads, feedForward, biases, rounding, rest, identity, sources } =
    await model.ledger(position, of, { sources: wantSources });
  const width = model.config.heads;
  return {
    logit: identity.left,
    embedding,
    heads: rowsOf(heads, width),
    feedForward: [...feedForward],
    biases: [...biases],
    rounding,
    rest,
    identity,
    ...(sources && { sources: rowsOf(rowsOf(sources, position + 1), width) }),
  };
}

/**
 * Each head alone taken out.
 * @param {Model} model
 * @param {number[]} ids
 * @param {number} token
 * @param {number | undefined} against
 * @returns {Promise<Sweep>}
 */
async function sweepOf(model, ids, token, against) {
  const metric = against === undefined ? 'logprob' : 'difference';
  const { base, changes, answers } = await model.sweep(ids, { metric, token, against });
  const width = model.config.heads;
  const named = Array.from(answers, (id) => ({ token: id, text: textOf(model.tokenizer, id) }));
  return { metric, base, changes: rowsOf(changes, width), answers: rowsOf(named, width) };
}
