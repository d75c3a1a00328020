/**
 * FNV-1a, by words.
 * @param {ArrayLike<number>} words
 * @param {number} [sum] of earlier words
 */
export function checksum(words, sum = 0x811c9dc5) {
  for (let at = 0; at < words.length; at++) sum = Math.imul(sum ^ words[at], 0x01000193);
  return sum >>> 0;
}
