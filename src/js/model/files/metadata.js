/**
 * The metadata of a GGUF file: keys with values of many types, arrays of arrays among them.
 * @typedef {import('./bytes.js').Reader} Reader
 * @typedef {import('../types.d.ts').MetadataValue} MetadataValue
 * @typedef {{ items: number }} Budget how many more elements arrays may have
 */

/** Metadata beyond these limits are refused, however large the file is. */
const MAX_KEY_BYTES = 65535;
const MAX_TEXT_BYTES = 2 ** 24;
const MAX_NUMBERS = 2 ** 24;
const MAX_DEPTH = 4;

/**
 * Some elements become JavaScript values of their own, for example texts. Each of them takes many
 * times the memory and time that it takes in the file, so their number is limited over all arrays.
 * Vocabularies have up to some 640000 texts and merges.
 */
const MAX_ITEMS = 2 ** 22;
/** An array counts as this many elements more. */
const ARRAY_ITEMS = 1024;

/** Bytes of a value of each type; for text and arrays the minimum. */
const SIZES = [1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8];
const BOOL = 7;
const TEXT = 8;
const ARRAY = 9;

/** A key and a value of at least one byte. */
export const MIN_ENTRY_BYTES = 13;

/** Types whose arrays become typed arrays. */
const TYPED = new Map(
  Object.entries({
    0: Uint8Array,
    1: Int8Array,
    2: Uint16Array,
    3: Int16Array,
    4: Uint32Array,
    5: Int32Array,
    6: Float32Array,
    12: Float64Array,
  }).map(([type, Typed]) => [Number(type), Typed]),
);

/** @param {Reader} r @param {number} count */
export async function readMetadata(r, count) {
  /** @type {Map<string, MetadataValue>} */
  const metadata = new Map();
  const budget = { items: MAX_ITEMS };
  for (let i = 0; i < count; i++) {
    const key = await readText(r, 'a metadata key', MAX_KEY_BYTES);
    if (!/^[\x21-\x7e]+$/.test(key))
      r.refuse('FORMAT', 'a metadata key', JSON.stringify(key.slice(0, 60)), 'printable ASCII');
    if (metadata.has(key))
      r.refuse('FORMAT', `the metadata key ${key}`, 'there twice', 'each once');
    if (r.ready < 4) await r.need(4, `the type of ${key}`);
    metadata.set(key, await readValue(r, r.u32(), key, budget, 0));
  }
  return metadata;
}

/** @param {Reader} r @param {string} label @param {number} max bytes */
export async function readText(r, label, max) {
  if (r.ready < 8) await r.need(8, `the length of ${label}`);
  const length = r.count(`the length of ${label}`, 1, max);
  if (r.ready < length) await r.need(length, label);
  return r.text(length, label);
}

/**
 * Reads a text that has arrived, without waiting.
 * @param {Reader} r
 * @param {string} label
 * @param {number} max bytes
 */
const readTextNow = (r, label, max) => r.text(r.count(label, 1, max), label);

/**
 * @param {Reader} r
 * @param {number} type
 * @param {string} key
 * @param {Budget} budget
 * @param {number} depth
 * @returns {Promise<MetadataValue>}
 */
async function readValue(r, type, key, budget, depth) {
  if (!(type in SIZES))
    r.refuse('FORMAT', `the type of ${key}`, type, `one of 0 to ${SIZES.length - 1}`);
  if (type === TEXT) return readText(r, key, MAX_TEXT_BYTES);
  if (type === ARRAY) return readArray(r, key, budget, depth + 1);
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
 * @param {Budget} budget
 * @param {number} depth
 * @returns {Promise<MetadataValue>}
 */
async function readArray(r, key, budget, depth) {
  if (depth > MAX_DEPTH)
    r.refuse('LIMIT', key, `arrays nested ${depth} deep`, `at most ${MAX_DEPTH}`);
  if ((budget.items -= ARRAY_ITEMS) < 0)
    r.refuse(
      'LIMIT',
      key,
      'one array too many',
      `at most ${MAX_ITEMS / ARRAY_ITEMS}, and fewer if they are long`,
    );
  if (r.ready < 12) await r.need(12, `the length of ${key}`);
  const type = r.u32();
  if (!(type in SIZES))
    r.refuse('FORMAT', `the element type of ${key}`, type, `one of 0 to ${SIZES.length - 1}`);
  const Typed = TYPED.get(type);
  const count = r.count(`the length of ${key}`, SIZES[type], Typed ? MAX_NUMBERS : budget.items);
  const bytes = count * SIZES[type];
  const texts = type === TEXT;
  const plain = !texts && type !== ARRAY;
  if (plain && r.ready < bytes) await r.need(bytes, key);
  if (Typed) return new Typed(r.bytes(bytes).buffer);
  budget.items -= count;
  /** @type {MetadataValue[]} */
  const items = [];
  for (let i = 0; i < count; i++)
    items.push(
      plain
        ? readNumber(r, type, key)
        : texts && r.textReady
          ? readTextNow(r, key, MAX_TEXT_BYTES)
          : await readValue(r, type, key, budget, depth),
    );
  return items;
}
