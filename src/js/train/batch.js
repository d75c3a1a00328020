/** Checks the tokens of a batch and their targets, and cuts them into sequences. */
import { array } from '../check.js';
import { refuse } from '../errors.js';
import { ATTN_IGNORE } from '../engine/constants.js';

/**
 * Sequences of `context` tokens with the target of each token.
 * @typedef {{ tokens: Int32Array, targets: Int32Array, sequences: number, count: number }} Batch
 *   count: targets that are not ignored
 */

/**
 * @param {string} name
 * @param {unknown} x
 * @param {number} min
 * @param {number} vocab
 */
function ids(name, x, min, vocab) {
  const given = array(name, x, 'Int32Array', 'Uint32Array');
  const expected = `a token from ${min} to ${vocab - 1}`;
  for (let i = 0; i < given.length; i++)
    if (!(given[i] >= min && given[i] < vocab))
      refuse('RANGE', `${name}[${i}]`, given[i], expected);
  return Int32Array.from(given);
}

/**
 * Without targets a sequence has a token more, and each token is the target of the one before it.
 * @param {unknown} tokens
 * @param {unknown} targets
 * @param {{ vocab: number, context: number, batch?: number }} sizes batch: undefined for any number
 * @returns {Batch}
 */
export function readBatch(tokens, targets, { vocab, context, batch }) {
  const given = ids('tokens', tokens, 0, vocab);
  const size = targets === undefined ? context + 1 : context;
  const sequences = given.length / size;
  if (batch === undefined ? !Number.isInteger(sequences) || !sequences : sequences !== batch)
    refuse(
      'SHAPE',
      'tokens',
      `${given.length} long`,
      batch === undefined
        ? `a multiple of ${size}${targets === undefined ? ' = context + 1' : ' = context'}`
        : `${batch * size} = batch*${targets === undefined ? '(context + 1)' : 'context'}`,
    );
  if (targets !== undefined) {
    const wanted = ids('targets', targets, ATTN_IGNORE, vocab);
    if (wanted.length !== given.length)
      refuse('SHAPE', 'targets', `${wanted.length} long`, `${given.length}, one for each token`);
    const count = wanted.reduce((sum, id) => sum + Number(id !== ATTN_IGNORE), 0);
    if (!count) refuse('ARG', 'targets', 'without any target', 'at least one');
    return { tokens: given, targets: wanted, sequences, count };
  }
  const cut = (/** @type {number} */ from) => {
    const part = new Int32Array(sequences * context);
    for (let i = 0; i < sequences; i++)
      part.set(given.subarray(i * size + from, i * size + from + context), i * context);
    return part;
  };
  return { tokens: cut(0), targets: cut(1), sequences, count: sequences * context };
}

/**
 * Up to `limit` sequences from the first on.
 * @param {Batch} batch
 * @param {number} first
 * @param {number} limit
 * @param {number} context
 */
export function partOf({ tokens, targets, sequences }, first, limit, context) {
  const end = Math.min(first + limit, sequences);
  return {
    tokens: tokens.subarray(first * context, end * context),
    targets: targets.subarray(first * context, end * context),
    sequences: end - first,
  };
}
