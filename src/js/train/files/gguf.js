import { joined } from '../../model/files/bytes.js';
import { TYPES } from '../../model/files/formats.js';
import { utf8Encoder } from '../../engine/utf8.js';
import { savedConfig, savedTensors } from './model.js';
import { tokenizerMetadata } from './gguf-tokenizer.js';
import { encode } from './weights.js';

/**
 * A model as one GGUF file of version 3 (ggml's docs/gguf.md), as the converter of llama.cpp makes
 * it from the files of Hugging Face.
 * @typedef {import('./model.js').SavedTensor} SavedTensor
 * @typedef {import('./weights.js').SavedType} SavedType
 * @typedef {import('./gguf-tokenizer.js').Value} Value
 */

const VERSION = 3;
const ALIGNMENT = 32;

/** Numbers of the types of metadata. */
const U32 = 4;
const I32 = 5;
const F32 = 6;
const BOOL = 7;
const TEXT = 8;
const ARRAY = 9;

/** general.file_type: LLAMA_FTYPE of llama.h. */
const FILE_TYPES = { F32: 0, F16: 1, Q8_0: 7 };
/** The version of the quantised formats (GGML_QNT_VERSION). */
const QUANTIZATION_VERSION = 2;

/** Bytes that are put together piece by piece. */
class Output {
  /** @type {Uint8Array[]} */
  #pieces = [];
  length = 0;

  /** @param {Uint8Array} bytes */
  bytes(bytes) {
    this.#pieces.push(bytes);
    this.length += bytes.length;
  }
  /** @param {number} size @param {(view: DataView) => void} set */
  #number(size, set) {
    const bytes = new Uint8Array(size);
    set(new DataView(bytes.buffer));
    this.bytes(bytes);
  }
  /** @param {number} x */
  u32(x) {
    this.#number(4, (view) => view.setUint32(0, x, true));
  }
  /** @param {number} x */
  u64(x) {
    this.#number(8, (view) => view.setBigUint64(0, BigInt(x), true));
  }
  /** @param {number} x */
  f32(x) {
    this.#number(4, (view) => view.setFloat32(0, x, true));
  }
  /** @param {string} text */
  text(text) {
    const bytes = utf8Encoder().encode(text);
    this.u64(bytes.length);
    this.bytes(bytes);
  }
  align() {
    this.bytes(new Uint8Array((ALIGNMENT - (this.length % ALIGNMENT)) % ALIGNMENT));
  }
  done() {
    return joined(this.#pieces, this.length);
  }
}

/** @param {Output} out @param {Value} value */
function writeValue(out, { type, value }) {
  switch (type) {
    case 'u32':
      out.u32(U32);
      return out.u32(value);
    case 'f32':
      out.u32(F32);
      return out.f32(value);
    case 'bool':
      out.u32(BOOL);
      return out.bytes(Uint8Array.of(Number(value)));
    case 'text':
      out.u32(TEXT);
      return out.text(value);
    case 'texts':
      out.u32(ARRAY);
      out.u32(TEXT);
      out.u64(value.length);
      return value.forEach((text) => out.text(text));
    case 'i32s':
      out.u32(ARRAY);
      out.u32(I32);
      out.u64(value.length);
      return out.bytes(new Uint8Array(value.buffer));
  }
}

/**
 * @param {import('./model.js').Sizes} sizes
 * @param {readonly import('./model.js').Parameter[]} parameters
 * @param {SavedType} type of the matrices; vectors are float32
 * @param {{ tokenizer?: import('./gguf-tokenizer.js').Json, bos?: number, eos?: number }} [text]
 *   tokenizer.json, and the ids that begin and end a text
 */
export function writeGguf(sizes, parameters, type, { tokenizer, ...marks } = {}) {
  const config = savedConfig(sizes);
  const tensors = savedTensors(config, parameters, 'gguf').map((tensor) => ({
    ...tensor,
    type: tensor.shape.length > 1 ? type : /** @type {const} */ ('F32'),
    data: besidePairs(tensor, config),
  }));
  const metadata = {
    ...modelMetadata(config, type),
    ...(tokenizer && tokenizerMetadata(tokenizer, config.vocab, marks)),
  };
  return fileOf(metadata, tensors);
}

/**
 * @param {Record<string, Value>} metadata
 * @param {(SavedTensor & { type: SavedType })[]} tensors
 */
function fileOf(metadata, tensors) {
  const out = new Output();
  out.bytes(utf8Encoder().encode('GGUF'));
  out.u32(VERSION);
  out.u64(tensors.length);
  out.u64(Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) {
    out.text(key);
    writeValue(out, value);
  }
  const data = tensors.map((tensor) => encode(tensor.type, tensor));
  let offset = 0;
  tensors.forEach(({ name, shape, type }, x) => {
    out.text(name);
    out.u32(shape.length);
    // the fastest axis is named first
    for (const size of [...shape].reverse()) out.u64(size);
    out.u32(TYPES[type].id);
    out.u64(offset);
    offset += Math.ceil(data[x].length / ALIGNMENT) * ALIGNMENT;
  });
  for (const bytes of data) {
    out.align();
    out.bytes(bytes);
  }
  out.align();
  return out.done();
}

/**
 * The rows of a query or key matrix as llama.cpp has them: the two rows of a rotary pair, i and
 * i + headDim/2 of a head, lie side by side.
 * @param {SavedTensor} tensor
 * @param {{ headDim: number }} config
 */
function besidePairs({ role, shape: [rows, columns], data }, { headDim }) {
  if (role !== 'q' && role !== 'k') return data;
  const half = headDim / 2;
  const moved = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    const channel = row % headDim;
    const to = row - channel + (channel < half ? 2 * channel : 2 * (channel - half) + 1);
    moved.set(data.subarray(row * columns, (row + 1) * columns), to * columns);
  }
  return moved;
}

/**
 * @param {import('../../model/types.d.ts').ModelConfig} config
 * @param {SavedType} type
 * @returns {Record<string, Value>}
 */
const modelMetadata = (config, type) => ({
  'general.architecture': { type: 'text', value: 'llama' },
  'general.type': { type: 'text', value: 'model' },
  'general.alignment': { type: 'u32', value: ALIGNMENT },
  'general.file_type': { type: 'u32', value: FILE_TYPES[type] },
  ...(type === 'Q8_0' && {
    'general.quantization_version': {
      type: /** @type {const} */ ('u32'),
      value: QUANTIZATION_VERSION,
    },
  }),
  'llama.vocab_size': { type: 'u32', value: config.vocab },
  'llama.context_length': { type: 'u32', value: config.context },
  'llama.embedding_length': { type: 'u32', value: config.modelDim },
  'llama.block_count': { type: 'u32', value: config.layers },
  'llama.feed_forward_length': { type: 'u32', value: config.ffnDim },
  'llama.attention.head_count': { type: 'u32', value: config.heads },
  'llama.attention.head_count_kv': { type: 'u32', value: config.kvHeads },
  'llama.attention.key_length': { type: 'u32', value: config.headDim },
  'llama.attention.value_length': { type: 'u32', value: config.headDim },
  'llama.attention.layer_norm_rms_epsilon': { type: 'f32', value: config.normEps },
  'llama.rope.dimension_count': { type: 'u32', value: config.headDim },
  'llama.rope.freq_base': { type: 'f32', value: config.ropeTheta },
});
