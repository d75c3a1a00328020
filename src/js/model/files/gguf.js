import { architectureOf } from './architectures.js';
import { BY_ID, OTHERS, TENSORS_MAX, bytesOf } from './formats.js';
import { MIN_ENTRY_BYTES, readMetadata, readText } from './metadata.js';

/**
 * GGUF, versions 2 and 3, little-endian (ggml's docs/gguf.md). The header is followed by metadata
 * and the list of tensors. Their data begin at the next multiple of the alignment.
 * @typedef {import('./bytes.js').Reader} Reader
 * @typedef {import('../types.d.ts').MetadataValue} MetadataValue
 * @typedef {import('../types.d.ts').TensorInfo} TensorInfo
 */

/** A file beyond these limits is refused, however large it is. */
const MAX_KEYS = 65536;
const MAX_NAME_BYTES = 1024;
const MAX_ALIGNMENT = 65536;

/**
 * @param {Reader} r
 * @returns {Promise<{ metadata: Map<string, MetadataValue>, tensors: TensorInfo[] }>}
 */
export async function readGguf(r) {
  await r.need(24, 'the GGUF header');
  r.bytes(4);
  const version = r.u32();
  if (version > 0 && version % 65536 === 0)
    r.refuse('FORMAT', 'the file', 'big-endian GGUF', 'a little-endian one');
  if (version !== 2 && version !== 3) r.refuse('FORMAT', 'the GGUF version', version, '2 or 3');
  const tensorCount = r.count('the number of tensors', 32, TENSORS_MAX);
  const keyCount = r.count('the number of metadata keys', MIN_ENTRY_BYTES, MAX_KEYS);
  const metadata = await readMetadata(r, keyCount);
  const tensors = await readTensors(r, tensorCount, metadata.get('general.architecture'));
  return { metadata, tensors: placed(r, tensors, alignmentOf(r, metadata)) };
}

/** @param {Reader} r @param {Map<string, MetadataValue>} metadata */
function alignmentOf(r, metadata) {
  const alignment = metadata.get('general.alignment') ?? 32;
  if (
    typeof alignment !== 'number' ||
    !(alignment >= 1 && alignment <= MAX_ALIGNMENT) ||
    !Number.isInteger(Math.log2(alignment))
  )
    r.refuse(
      'FORMAT',
      'general.alignment',
      String(alignment).slice(0, 60),
      `a power of two up to ${MAX_ALIGNMENT}`,
    );
  return alignment;
}

/**
 * The list of tensors, with offsets still counted from where the data begin.
 * @param {Reader} r
 * @param {number} count
 * @param {MetadataValue} [architecture]
 */
async function readTensors(r, count, architecture) {
  const names = new Set();
  const tensors = [];
  for (let i = 0; i < count; i++) {
    const name = await readText(r, 'the name of a tensor', MAX_NAME_BYTES);
    if (names.has(name))
      r.refuse('FORMAT', `the tensor ${JSON.stringify(name)}`, 'there twice', 'each once');
    names.add(name);
    if (r.ready < 4) await r.need(4, `the dimensions of ${name}`);
    const dims = r.u32();
    const shape = [];
    if (dims < 1 || dims > 4)
      r.refuse('FORMAT', `the number of dimensions of ${name}`, dims, '1 to 4');
    if (r.ready < dims * 8 + 12) await r.need(dims * 8 + 12, `the shape of ${name}`);
    // ggml names the fastest axis first
    for (let d = 0; d < dims; d++) shape.unshift(r.u64());
    const id = r.u32();
    const type = BY_ID.get(id) ?? unknown(r, name, id, architecture);
    const offset = r.u64();
    if (shape.some((size) => typeof size === 'bigint' || size < 1))
      r.refuse('FORMAT', `the shape of ${name}`, `(${shape})`, 'sizes of at least 1');
    const sizes = /** @type {number[]} */ (shape);
    const bytes = bytesOf(type, sizes);
    if (Number.isNaN(bytes))
      r.refuse(
        'FORMAT',
        `the shape of ${name}`,
        `(${sizes}) of ${type}`,
        'rows of whole blocks and a size that can be counted',
      );
    if (typeof offset === 'bigint')
      r.refuse('FORMAT', `the offset of ${name}`, String(offset), 'a place in the file');
    tensors.push({ name, type, shape: sizes, bytes, offset });
  }
  return tensors;
}

/**
 * Refuses a type. If the architecture is not supported, the error says that instead.
 * @param {Reader} r
 * @param {string} name
 * @param {number} id
 * @param {MetadataValue} [architecture]
 * @returns {never}
 */
function unknown(r, name, id, architecture) {
  if (typeof architecture === 'string') architectureOf('gguf', architecture);
  return r.refuse(
    'FORMAT',
    `the type of ${name}`,
    OTHERS.get(id) ?? `number ${id}`,
    [...BY_ID.values()].join(', '),
  );
}

/**
 * The tensors in file order, with offsets from the beginning of the file. They must be aligned, lie
 * within the file and not overlap.
 * @param {Reader} r
 * @param {TensorInfo[]} tensors
 * @param {number} alignment
 */
function placed(r, tensors, alignment) {
  const begin = Math.ceil(r.at / alignment) * alignment;
  const sorted = [...tensors].sort((a, b) => a.offset - b.offset);
  let end = 0;
  let before = 'the header';
  for (const { name, offset, bytes } of sorted) {
    if (offset % alignment)
      r.refuse('FORMAT', `the offset of ${name}`, offset, `a multiple of ${alignment}`);
    if (offset < end)
      r.refuse('FORMAT', `the offset of ${name}`, `${offset}, inside ${before}`, `at least ${end}`);
    end = offset + bytes;
    before = name;
    if (!Number.isSafeInteger(begin + end))
      r.refuse('FORMAT', `the offset of ${name}`, offset, 'a place in the file');
    if (begin + end - r.at > r.remaining)
      r.refuse(
        'INTEGRITY',
        `the end of ${name}`,
        begin + end,
        `at most ${r.at + r.remaining}, where the file ends; it is cut off or damaged`,
      );
  }
  return sorted.map((tensor) => ({ ...tensor, offset: begin + tensor.offset }));
}
