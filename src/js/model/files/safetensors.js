import { TENSORS_MAX, bytesOf } from './formats.js';
import { parseStrict } from './strict-json.js';

/**
 * safetensors (its README): 8 bytes with the length of a JSON header, the header, the data. Tensors
 * fill the data without gap, overlap or rest, which is what makes the file mean one thing only.
 */

const HEADER_BYTES = 2 ** 24;
const NAME = 1024;
const RANK = 8;
const NOTES = 65536;
const FLOATS = ['F32', 'F16', 'BF16'];

/**
 * @typedef {import('./bytes.js').Reader} Reader
 * @typedef {import('../types.d.ts').TensorInfo} TensorInfo
 */

/** @param {Reader} r @returns {Promise<TensorInfo[]>} in file order */
export async function readSafetensors(r) {
  await r.need(8, 'the length of the header');
  const length = r.count('the length of the header', 1, HEADER_BYTES);
  await r.need(length, 'the header');
  if (r.peek()[0] !== 0x7b)
    r.refuse('FORMAT', 'the beginning of the header', `byte ${r.peek()[0]}`, '"{"');
  const entries = parseStrict(r.text(length, 'the header'), r.name);
  const tensors = [];
  if (entries.size > TENSORS_MAX)
    r.refuse('LIMIT', 'the number of tensors', entries.size, `at most ${TENSORS_MAX}`);
  for (const [name, entry] of entries) {
    if (name === '__metadata__') checkNotes(r, entry);
    else tensors.push(tensorOf(r, name, entry));
  }
  return filled(
    r,
    tensors.sort((a, b) => a.offset - b.offset || a.bytes - b.bytes),
  );
}

/** @param {Reader} r @param {any} notes */
function checkNotes(r, notes) {
  if (!(notes instanceof Map) || [...notes.values()].some((value) => typeof value !== 'string'))
    r.refuse('FORMAT', '__metadata__', 'something else', 'an object of strings');
  if (notes.size > NOTES)
    r.refuse('LIMIT', '__metadata__', `${notes.size} entries`, `at most ${NOTES}`);
}

/**
 * @param {Reader} r
 * @param {string} name
 * @param {any} entry
 * @returns {TensorInfo} its offset still counted from where the data begin
 */
function tensorOf(r, name, entry) {
  const called = `the tensor ${JSON.stringify(name.slice(0, 80))}`;
  if (name.length > NAME)
    r.refuse('LIMIT', called, `${name.length} characters long`, `at most ${NAME}`);
  const has = (/** @type {string} */ key) => entry instanceof Map && entry.has(key);
  if (!has('dtype') || !has('shape') || !has('data_offsets') || entry.size !== 3)
    r.refuse(
      'FORMAT',
      called,
      'described by something else',
      'an object of dtype, shape and data_offsets',
    );
  const type = entry.get('dtype');
  const shape = entry.get('shape');
  const range = entry.get('data_offsets');
  if (!FLOATS.includes(type))
    r.refuse(
      'FORMAT',
      `the dtype of ${called}`,
      typeof type === 'string' ? JSON.stringify(type.slice(0, 20)) : typeof type,
      FLOATS.join(', '),
    );
  if (!counts(shape))
    r.refuse('FORMAT', `the shape of ${called}`, 'something else', 'an array of counts');
  if (shape.length > RANK)
    r.refuse('LIMIT', `the rank of ${called}`, shape.length, `at most ${RANK}`);
  if (!counts(range) || range.length !== 2 || range[0] > range[1])
    r.refuse('FORMAT', `data_offsets of ${called}`, 'something else', '[begin, end], begin ≤ end');
  const bytes = bytesOf(type, shape);
  if (Number.isNaN(bytes))
    r.refuse('FORMAT', `the shape of ${called}`, `(${shape})`, 'fewer than 2^53 bytes');
  if (range[1] - range[0] !== bytes)
    r.refuse(
      'FORMAT',
      `data_offsets of ${called}`,
      `${range[1] - range[0]} bytes apart`,
      `${bytes} for (${shape}) of ${type}`,
    );
  return { name, type, shape, bytes, offset: range[0] };
}

/** @param {any} x */
const counts = (x) => Array.isArray(x) && x.every((size) => typeof size === 'number');

/**
 * Offsets from the beginning of the file.
 * @param {Reader} r
 * @param {TensorInfo[]} tensors sorted
 */
function filled(r, tensors) {
  let end = 0;
  for (const { name, offset, bytes } of tensors) {
    if (offset !== end)
      r.refuse(
        'FORMAT',
        `the beginning of the tensor ${JSON.stringify(name.slice(0, 80))}`,
        offset,
        `${end}, where the one before it ends`,
      );
    end += bytes;
  }
  if (r.left !== Infinity && r.left !== end)
    r.refuse(
      r.left < end ? 'INTEGRITY' : 'FORMAT',
      'what is left of the file',
      `${r.left} bytes`,
      `${end}, as the header says${r.left < end ? '; it is cut off or damaged' : ''}`,
    );
  return tensors.map((tensor) => ({ ...tensor, offset: r.at + tensor.offset }));
}
