/** Replaces engine/files.js in the single files of dist, which have the kernels inside. */
import kernels from 'clearhead:kernels';
import { fromBase64 } from './base64.js';
import { unpack } from './lzma.js';

/** @type {Uint8Array | undefined} */
let packed;

/** The bytes of a wasm file. @param {string} name */
export function kernelsOf(name) {
  const [at, length] = kernels.files[name];
  packed ??= fromBase64(kernels.packed);
  return unpack(packed, at + length).slice(at);
}

/** @param {boolean} relaxed */
export const attentionFile = (relaxed) => kernelsOf(relaxed ? 'relaxed' : 'simd');

export const modelFile = attentionFile;
