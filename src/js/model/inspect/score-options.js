/** Checks the options of `model.heads.scores` and fills in defaults. */
import { abortSignal, integer, list, progressListener, read } from '../../check.js';
import { describe, refuse } from '../../errors.js';
import { ordered } from '../inside/options.js';
import { checkTokens } from '../reading/tokens.js';
import { DEFINITIONS, SCORES } from './definitions.js';
import { randomRepeats } from './repeats.js';

/**
 * @typedef {import('./types.d.ts').ScoreName} ScoreName
 * @typedef {import('./types.d.ts').RandomRepeats} RandomRepeats
 * @typedef {import('../types.d.ts').Tokenizer} Tokenizer
 *
 * @typedef {object} Described a model as its options need it
 * @property {import('../types.d.ts').ModelConfig} config
 * @property {number} capacity tokens that a text may have
 * @property {Tokenizer | null} tokenizer
 *
 * @typedef {object} Texts that heads are watched on
 * @property {number[][]} texts if there are none, `repeats` are read
 * @property {{ ids: number[], begin: number, period: number }[]} repeats the period begins at
 *   `begin`
 * @property {{ ids: number[], positions: number[] }[]} sources each position once
 */

/** Defaults: the number of random sequences, and the length after which each repeats. */
const COUNT = 8;
const PERIOD = 32;

/**
 * @param {unknown} options
 * @param {Described} model
 */
export function readScoreOptions(options, model) {
  const o = read('options', /** @type {import('./types.d.ts').ScoreOptions} */ (options), [
    'scores',
    'texts',
    'repeats',
    'sources',
    'onProgress',
    'signal',
  ]);
  const sources = o.sources === undefined ? [] : readSources(o.sources, model);
  const texts = o.texts === undefined ? [] : readTexts(o.texts, model);
  const repeats = readRepeats(o.repeats, model);
  return {
    names: readNames(o.scores, { texts: texts.length || repeats.length, repeats, sources }),
    texts,
    sources,
    repeats,
    onProgress: progressListener(o.onProgress),
    signal: abortSignal(o.signal),
  };
}

/**
 * @param {unknown} given
 * @param {object} on
 * @param {number} on.texts how many there are
 * @param {unknown[]} on.repeats
 * @param {unknown[]} on.sources
 * @returns {ScoreName[]}
 */
function readNames(given, { texts, repeats, sources }) {
  const counts = { texts, repeats: repeats.length, sources: sources.length, weights: 1 };
  const can = (/** @type {ScoreName} */ name) => counts[DEFINITIONS[name].on] > 0;
  if (given === undefined) return SCORES.filter(can);
  const names = /** @type {ScoreName[]} */ (list('scores', given));
  names.forEach((name, at) => {
    if (!SCORES.includes(name))
      refuse('ARG', `scores[${at}]`, describe(name), SCORES.map(describe).join(' or '));
    if (!can(name))
      refuse('ARG', `scores[${at}]`, describe(name), `it with ${DEFINITIONS[name].on}`);
  });
  if (!names.length) refuse('SHAPE', 'scores', 'empty', 'at least one name');
  return SCORES.filter((name) => names.includes(name));
}

/**
 * @param {string} name
 * @param {unknown} given text or ids
 * @param {Described} model
 */
function idsOf(name, given, model) {
  const { config, tokenizer } = model;
  if (typeof given !== 'string')
    return fitting(name, checkTokens(given, config, name, 'text or ids'), model);
  if (!tokenizer) refuse('ARG', name, describe(given), 'ids: the model has no tokenizer');
  return fitting(name, checkTokens(tokenizer.encode(given), config, name), model);
}

/** Refuses more than the context has. @param {string} name @param {number[]} ids */
const fitting = (name, ids, /** @type {Described} */ { capacity }) =>
  ids.length <= capacity
    ? ids
    : refuse('LIMIT', name, `${ids.length} tokens long`, `at most ${capacity}, the context`);

/** @param {unknown} given @param {Described} model */
function readTexts(given, model) {
  const texts = list('texts', given).map((text, at) => idsOf(`texts[${at}]`, text, model));
  if (texts.every((ids) => ids.length < 3))
    refuse('SHAPE', 'texts', 'without a third token', 'a text of at least 3 tokens');
  return texts;
}

/** @param {unknown} given @param {Described} model */
function readSources(given, model) {
  return list('sources', given).map((source, at) => {
    const name = `sources[${at}]`;
    const o = read(name, /** @type {Record<string, unknown>} */ (source), ['prompt', 'positions']);
    const ids = idsOf(`${name}.prompt`, o.prompt, model);
    return { ids, positions: ordered(`${name}.positions`, o.positions, ids.length) };
  });
}

/**
 * @param {unknown} given
 * @param {Described} model
 * @returns {Texts['repeats']}
 */
function readRepeats(given, model) {
  if (Array.isArray(given))
    return given.map((one, at) => {
      const name = `repeats[${at}]`;
      const ids = fitting(name, checkTokens(one, model.config, name), model);
      // it would come in the middle as well, where no text has it
      if (model.tokenizer?.addsBos && ids[0] === model.tokenizer.bos)
        refuse(
          'ARG',
          `${name}[0]`,
          'the token that begins a text',
          'ids of encode(text, { marks: false })',
        );
      const period = ids.length / 2;
      if (ids.some((id, x) => x >= period && id !== ids[x - period]))
        refuse('ARG', name, 'another sequence', 'one that comes twice');
      return { ids, begin: 0, period };
    });
  const o = read('repeats', /** @type {RandomRepeats} */ (given), ['count', 'period', 'seed']);
  const { vocab } = model.config;
  const { tokenizer, capacity } = model;
  const period = integer('period', o.period ?? PERIOD, 2);
  const without = new Set(tokenizer ? [tokenizer.bos, ...tokenizer.ends] : []);
  if (vocab - without.size < 1) refuse('RANGE', 'repeats', 'asked for', 'a larger vocabulary');
  const first = tokenizer?.addsBos ? [tokenizer.bos] : [];
  const longest = Math.floor((capacity - first.length) / 2);
  if (period > longest)
    refuse('LIMIT', 'period', period, `at most ${longest}: twice it must fit into the context`);
  return randomRepeats({
    count: integer('count', o.count ?? COUNT, 1),
    period,
    seed: integer('seed', o.seed ?? 0, 0, Number.MAX_SAFE_INTEGER),
    vocab,
    without,
  }).map((ids) => ({ ids: [...first, ...ids], begin: first.length, period }));
}
