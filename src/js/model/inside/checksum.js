/**
 * A word with each of its bits in all others: the end of MurmurHash3 (Appleby 2011), with the
 * constants of a lane.
 * @param {number} x
 * @param {number} first
 * @param {number} second
 */
function mixed(x, first, second) {
  const y = Math.imul(x ^ (x >>> 16), first);
  const z = Math.imul(y ^ (y >>> 13), second);
  return z ^ (z >>> 16);
}

/**
 * A checksum in two lanes of 32 bits, of which 53 are kept. A lane is mixed after each word, as
 * otherwise changes of the highest bit in two words would cancel.
 * @param {ArrayLike<number>} words of 32 bits
 * @param {number} [sum] of earlier words
 * @returns {number} an integer from 0 to 2^53 − 1
 */
export function checksum(words, sum = 0) {
  let low = (sum % 2 ** 32) | 0;
  let high = Math.floor(sum / 2 ** 32);
  for (let at = 0; at < words.length; at++) {
    low = mixed((low ^ words[at]) + 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35);
    high = mixed((high ^ words[at]) + 0x7f4a7c15, 0x7feb352d, 0x846ca68b);
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

/** The same of a text, by its UTF-16 units. @param {string} text @param {number} [sum] */
export const textChecksum = (text, sum) =>
  checksum(
    Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)),
    sum,
  );
