/** The witness that is trusted most, in words. */
import { largestOf } from '../../plot/ties.js';

/** @param {ArrayLike<number>} weights @param {readonly string[]} words of the witnesses */
export function trusted(weights, words) {
  const quoted = words.map((word) => `“${word}”`);
  const { value, count, list, all } = largestOf(weights, quoted);
  const who = all ? 'All are trusted alike' : `${list} ${count > 1 ? 'are' : 'is'} trusted most`;
  const weight = `with a weight of ${Math.round(100 * value)} %${count > 1 ? ' each' : ''}`;
  return { who, weight };
}
