/** Replaces engine/files.js in the single files of dist, which have the kernels inside. */
import kernels from 'clearhead:kernels';
import { fromBase64 } from './base64.js';
import { unpack } from './lzma.js';
import { walk } from './streams.js';

/** @type {Uint8Array | undefined} */
let packed;

/** The bytes of a wasm file. @param {string} name */
export function kernelsOf(name) {
  packed ??= fromBase64(kernels.packed);
  const { at, streams } = kernels.files[name];
  let end = at;
  const places = streams.map((length) => (end += length) - length);
  const bytes = unpack(packed, end);
  const file = new Uint8Array(end - at);
  let joined = 0;
  walk(file.length, (stream) => (file[joined++] = bytes[places[stream]++]));
  return file;
}

/** @param {boolean} relaxed */
export const attentionFile = (relaxed) => kernelsOf(relaxed ? 'relaxed' : 'simd');

export const modelFile = attentionFile;
