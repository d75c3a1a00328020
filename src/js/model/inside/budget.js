/** Bytes of wasm memory for the records, or the masks, of one pass. */
const PASS_BYTES = 2 ** 26;

/**
 * How many tokens go through the layers together: `count`, or fewer if each has many bytes.
 * @param {number} count
 * @param {number} bytes of one token
 */
export function tokensWithin(count, bytes) {
  const affordable = Math.floor(PASS_BYTES / bytes);
  if (affordable >= count) return count;
  return affordable < 4 ? Math.max(1, affordable) : 4 * Math.floor(affordable / 4);
}
