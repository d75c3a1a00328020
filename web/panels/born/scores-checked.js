/** A statement: the trainer's scores of heads are sums over the rows on show. */
import { CONFIG, OPTIONS } from '../../../training/induction/recipe.js';
import { Statement } from '../../page/statement.js';
import { induction, previousToken, scoresOf } from './scores.js';

/** The allowed difference of a score: the trainer and the model sum in different orders. */
const ALLOWED = 2 ** -17;
const NAMES = /** @type {const} */ (['previousToken', 'induction']);

export const scoreStatement = () =>
  new Statement({
    id: 'born-scores',
    claim: 'the scores of all heads, summed up again from the rows on show, are the same',
    allowance:
      'The trainer and the model compute the same rows in float32, in different orders. 2⁻¹⁷ was ' +
      'found by measuring, and is no proof.',
    oracles: [previousToken, induction],
  });

/**
 * @param {Float32Array} weights of all heads, on these tokens
 * @param {Int32Array} tokens
 * @param {import('./run.js').Point} point with the scores of the trainer
 */
export function compareScores(weights, tokens, point) {
  const again = scoresOf(weights, tokens, CONFIG.layers * CONFIG.heads, OPTIONS.context);
  let measured = 0;
  for (const name of NAMES)
    again[name].forEach((score, h) => {
      const difference = Math.abs(score - point[name][h]);
      if (!(difference <= measured)) measured = difference;
    });
  return { measured, allowed: ALLOWED };
}
