/** The bits of numbers as a short text, which a link can carry. */

/**
 * FNV-1a over the bits of these numbers. A link has the same checksum in every browser, as the page
 * uses the same kernels everywhere.
 * @param {...Float32Array} arrays
 */
export function checksum(...arrays) {
  let sum = 0x811c9dc5;
  for (const { buffer, byteOffset, length } of arrays)
    for (const word of new Uint32Array(buffer, byteOffset, length))
      sum = Math.imul(sum ^ word, 0x01000193) >>> 0;
  return sum.toString(16).padStart(8, '0');
}
