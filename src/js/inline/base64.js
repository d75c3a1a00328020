/** Reads base64: the kernels lie as such a text in the single files of dist. */

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Decodes a text. Worklets have no atob. @param {string} text without padding */
export function fromBase64(text) {
  const valueOf = new Uint8Array(128);
  for (let i = 0; i < 64; i++) valueOf[DIGITS.charCodeAt(i)] = i;
  const digit = (/** @type {number} */ i) => valueOf[text.charCodeAt(i)];
  const bytes = new Uint8Array((text.length * 3) >> 2);
  for (let i = 0, at = 0; at < bytes.length; i += 4) {
    const word = (digit(i) << 18) | (digit(i + 1) << 12) | (digit(i + 2) << 6) | digit(i + 3);
    bytes[at++] = word >> 16;
    bytes[at++] = word >> 8;
    bytes[at++] = word;
  }
  return bytes;
}
