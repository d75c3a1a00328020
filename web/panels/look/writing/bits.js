/** How surprising a token was, in bits. */

/** @param {ArrayLike<number>} logits @param {number} id of the token that came */
export function bitsOf(logits, id) {
  let max = -Infinity;
  for (let at = 0; at < logits.length; at++) max = Math.max(max, logits[at]);
  let sum = 0;
  for (let at = 0; at < logits.length; at++) sum += Math.exp(logits[at] - max);
  return (max - logits[id] + Math.log(sum)) / Math.LN2;
}
