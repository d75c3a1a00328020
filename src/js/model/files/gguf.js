import { named } from './architectures.js';
import { BY_ID, OTHERS, TENSORS_MAX, bytesOf } from './formats.js';

/**
 * GGUF, versions 2 and 3, little-endian (ggml's docs/gguf.md). After the header come metadata, the
 * list of tensors, and from the next multiple of the alignment on their data.
 */

/** Limits beyond which a file is refused, however large it is. */
const KEYS = 65536;
const KEY_BYTES = 65535;
const NAME_BYTES = 1024;
const TEXT_BYTES = 2 ** 24;
const NUMBERS = 2 ** 24;
const DEPTH = 4;
const ALIGNMENT = 65536;

/**
 * Elements that become values of their own, as texts do, in all arrays together, and for how many
 * of them an array counts: each takes many times the bytes and the time that it does in the file.
 * Vocabularies have up to some 640000 texts and merges.
 */
const ITEMS = 2 ** 22;
const ARRAY_ITEMS = 1024;

/** Bytes of a value of each type; text and arrays at least. */
const SIZES = [1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8];
const BOOL = 7;
const TEXT = 8;
const ARRAY = 9;

/** Types whose arrays become typed arrays. @type {Record<number, any>} */
const TYPED = {
  0: Uint8Array,
  1: Int8Array,
  2: Uint16Array,
  3: Int16Array,
  4: Uint32Array,
  5: Int32Array,
  6: Float32Array,
  12: Float64Array,
};

/**
 * @typedef {import('./bytes.js').Reader} Reader
 * @typedef {import('../types.d.ts').MetadataValue} MetadataValue
 * @typedef {import('../types.d.ts').TensorInfo} TensorInfo
 */

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
  const keyCount = r.count('the number of metadata keys', 13, KEYS);
  const metadata = await readMetadata(r, keyCount);
  const tensors = await readTensors(r, tensorCount, metadata.get('general.architecture'));
  return { metadata, tensors: placed(r, tensors, alignmentOf(r, metadata)) };
}

/** @param {Reader} r @param {number} count */
async function readMetadata(r, count) {
  /** @type {Map<string, MetadataValue>} */
  const metadata = new Map();
  const room = { items: ITEMS };
  for (let i = 0; i < count; i++) {
    const key = await readText(r, 'a metadata key', KEY_BYTES);
    if (!/^[\x21-\x7e]+$/.test(key))
      r.refuse('FORMAT', 'a metadata key', JSON.stringify(key.slice(0, 60)), 'printable ASCII');
    if (metadata.has(key))
      r.refuse('FORMAT', `the metadata key ${key}`, 'there twice', 'each once');
    if (r.ready < 4) await r.need(4, `the type of ${key}`);
    metadata.set(key, await readValue(r, r.u32(), key, room, 0));
  }
  return metadata;
}

/** @param {Reader} r @param {string} what @param {number} most bytes */
async function readText(r, what, most) {
  if (r.ready < 8) await r.need(8, `the length of ${what}`);
  const length = r.count(`the length of ${what}`, 1, most);
  if (r.ready < length) await r.need(length, what);
  return r.text(length, what);
}

/**
 * The same of a text that is there, without waiting.
 * @param {Reader} r
 * @param {string} what
 * @param {number} most bytes
 */
const readTextNow = (r, what, most) => r.text(r.count(what, 1, most), what);

/**
 * @param {Reader} r
 * @param {number} type
 * @param {string} key
 * @param {{ items: number }} room
 * @param {number} depth
 * @returns {Promise<MetadataValue>}
 */
async function readValue(r, type, key, room, depth) {
  if (!(type in SIZES))
    r.refuse('FORMAT', `the type of ${key}`, type, `one of 0 to ${SIZES.length - 1}`);
  if (type === TEXT) return readText(r, key, TEXT_BYTES);
  if (type === ARRAY) return readArray(r, key, room, depth + 1);
  if (r.ready < SIZES[type]) await r.need(SIZES[type], key);
  return readNumber(r, type, key);
}

/**
 * @param {Reader} r
 * @param {number} type
 * @param {string} key
 * @returns {number | bigint | boolean}
 */
function readNumber(r, type, key) {
  switch (type) {
    case 0:
      return r.u8();
    case 1:
      return r.i8();
    case 2:
      return r.u16();
    case 3:
      return r.i16();
    case 4:
      return r.u32();
    case 5:
      return r.i32();
    case 6:
      return r.f32();
    case BOOL: {
      const bool = r.u8();
      return bool > 1
        ? r.refuse('FORMAT', `the truth value of ${key}`, bool, '0 or 1')
        : bool === 1;
    }
    case 10:
      return r.u64();
    case 11:
      return r.i64();
    default:
      return r.f64();
  }
}

/**
 * @param {Reader} r
 * @param {string} key
 * @param {{ items: number }} room
 * @param {number} depth
 * @returns {Promise<MetadataValue>}
 */
async function readArray(r, key, room, depth) {
  if (depth > DEPTH) r.refuse('LIMIT', key, `arrays nested ${depth} deep`, `at most ${DEPTH}`);
  if ((room.items -= ARRAY_ITEMS) < 0)
    r.refuse(
      'LIMIT',
      key,
      'one array too many',
      `at most ${ITEMS / ARRAY_ITEMS}, and fewer if they are long`,
    );
  if (r.ready < 12) await r.need(12, `the length of ${key}`);
  const type = r.u32();
  if (!(type in SIZES))
    r.refuse('FORMAT', `the element type of ${key}`, type, `one of 0 to ${SIZES.length - 1}`);
  const Typed = TYPED[type];
  const count = r.count(`the length of ${key}`, SIZES[type], Typed ? NUMBERS : room.items);
  const bytes = count * SIZES[type];
  const texts = type === TEXT;
  const plain = !texts && type !== ARRAY;
  if (plain && r.ready < bytes) await r.need(bytes, key);
  if (Typed) return new Typed(r.bytes(bytes).buffer);
  room.items -= count;
  /** @type {MetadataValue[]} */
  const items = [];
  for (let i = 0; i < count; i++)
    items.push(
      plain
        ? readNumber(r, type, key)
        : texts && r.textReady
          ? readTextNow(r, key, TEXT_BYTES)
          : await readValue(r, type, key, room, depth),
    );
  return items;
}

/** @param {Reader} r @param {Map<string, MetadataValue>} metadata */
function alignmentOf(r, metadata) {
  const alignment = metadata.get('general.alignment') ?? 32;
  if (
    typeof alignment !== 'number' ||
    !(alignment >= 1 && alignment <= ALIGNMENT) ||
    !Number.isInteger(Math.log2(alignment))
  )
    r.refuse(
      'FORMAT',
      'general.alignment',
      String(alignment).slice(0, 60),
      `a power of two up to ${ALIGNMENT}`,
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
    const name = await readText(r, 'the name of a tensor', NAME_BYTES);
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
 * Where the architecture is none of ours, that is what matters.
 * @param {Reader} r
 * @param {string} name
 * @param {number} id
 * @param {MetadataValue} [architecture]
 * @returns {never}
 */
function unknown(r, name, id, architecture) {
  if (typeof architecture === 'string') named(architecture);
  return r.refuse(
    'FORMAT',
    `the type of ${name}`,
    OTHERS.get(id) ?? `number ${id}`,
    [...BY_ID.values()].join(', '),
  );
}

/**
 * Offsets from the beginning of the file, in file order: aligned, apart from each other, inside.
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
    if (begin + end - r.at > r.left)
      r.refuse(
        'INTEGRITY',
        `the end of ${name}`,
        begin + end,
        `at most ${r.at + r.left}, where the file ends; it is cut off or damaged`,
      );
  }
  return sorted.map((tensor) => ({ ...tensor, offset: begin + tensor.offset }));
}
