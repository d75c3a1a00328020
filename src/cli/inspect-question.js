/** The token, position and tables that clearhead inspect is asked for. */
import { ClearheadError } from '../js/index.js';

/**
 * @typedef {import('../js/model/api.d.ts').Tokenizer} Tokenizer
 *
 * @typedef {object} Given flags as they were typed
 * @property {string} [token]
 * @property {string} [against]
 * @property {string} [position]
 * @property {string} [top]
 * @property {boolean} [sources]
 * @property {boolean} [sweep]
 * @property {string} [intervene]
 * @property {string[]} [ablate]
 *
 * @typedef {object} Question
 * @property {string | undefined} token
 * @property {string | undefined} against
 * @property {number | undefined} position
 * @property {number} top lines of a list
 * @property {boolean} sources
 * @property {boolean} sweep
 */

export const QUESTION = `        --token TEXT             this next token in place of the likeliest;
                                 a space before it counts: --token " ball"
        --against TEXT           the lead of the token over this one
        --position N             behind token N of PROMPT, counted from 0;
                                 default: behind the last
        --top N                  lines of each list of parts; default 12
        --sources                for the largest heads of the ledger, the tokens
                                 that their parts come from
        --sweep                  takes out each head alone, and lists those that
                                 change the token's log-probability most, or
                                 its lead`;

export const questionOptions = /** @type {const} */ ({
  token: { type: 'string' },
  against: { type: 'string' },
  position: { type: 'string' },
  top: { type: 'string' },
  sources: { type: 'boolean' },
  sweep: { type: 'boolean' },
});

/** Lines of a list. */
const LINES = 12;

/** @param {string} name @param {string} text @param {number} min */
function whole(name, text, min) {
  if (!/^\d{1,6}$/.test(text) || Number(text) < min)
    throw new ClearheadError(
      'ARG',
      `--${name} is "${text.slice(0, 40)}"; expected a whole number from ${min} on`,
    );
  return Number(text);
}

/** @param {Given} given @returns {Question} */
export function readQuestion(given) {
  const { token, against, position, top, sources = false, sweep = false } = given;
  if (given.intervene !== undefined || given.ablate !== undefined)
    for (const name of /** @type {const} */ (['top', 'sources', 'sweep']))
      if (given[name] !== undefined)
        throw new ClearheadError(
          'ARG',
          `--${name} is given with --intervene or --ablate; expected one of them`,
        );
  return {
    token,
    against,
    position: position === undefined ? undefined : whole('position', position, 0),
    top: top === undefined ? LINES : whole('top', top, 1),
    sources,
    sweep,
  };
}

/**
 * The id of a text that is one token.
 * @param {Tokenizer} tokenizer @param {string} name of the flag @param {string} text
 */
export function oneToken(tokenizer, name, text) {
  const ids = tokenizer.encode(text, { continued: true });
  if (ids.length === 1) return ids[0];
  const parts = ids.map((id) =>
    JSON.stringify(tokenizer.decode([id], { special: true, continued: true })),
  );
  throw new ClearheadError(
    'ARG',
    `--${name} is ${JSON.stringify(text.slice(0, 40))}, ${ids.length} tokens` +
      `${ids.length ? ` (${parts.slice(0, 4).join(' ')}${ids.length > 4 ? ' …' : ''})` : ''}; ` +
      `expected one${text.startsWith(' ') ? '' : ', with the space before it'}`,
  );
}

/**
 * The tokens up to the position.
 * @param {number[]} ids of the prompt @param {number | undefined} position
 */
export function upTo(ids, position) {
  if (position !== undefined && position >= ids.length)
    throw new ClearheadError(
      'ARG',
      `--position is ${position}; expected 0 to ${ids.length - 1}, the tokens of PROMPT`,
    );
  return ids.slice(0, (position ?? ids.length - 1) + 1);
}
