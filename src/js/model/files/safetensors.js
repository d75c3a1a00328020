import { TENSORS_MAX, bytesOf } from './formats.js';
import { describe } from '../../errors.js';
import { parseStrict } from './strict-json.js';

/**
 * safetensors (its README): 8 bytes with the length of a JSON header, the header, the data. Tensors
 * fill the data without gap, overlap or rest, so that the file has one meaning only.
 */

const MAX_HEADER_BYTES = 2 ** 24;
const MAX_NAME = 1024;
const MAX_RANK = 8;
const MAX_NOTES = 65536;
const FLOATS = ['F32', 'F16', 'BF16'];

/**
 * @typedef {import('./bytes.js').Reader} Reader
 * @typedef {import('../types.d.ts').TensorInfo} TensorInfo
 */

/** @param {Reader} r @returns {Promise<TensorInfo[]>} in file order */
export async function readSafetensors(r) {
  await r.need(8, 'the length of the header');
  const length = r.count('the length of the header', 1, MAX_HEADER_BYTES);
  await r.need(length, 'the header');
  if (r.peek()[0] !== 0x7b)
    r.refuse('FORMAT', 'the beginning of the header', `byte ${r.peek()[0]}`, '"{"');
  const header = parseStrict(r.text(length, 'the header'), r.name);
  const entries = /** @type {Map<string, unknown>} */ (header); // it begins with a brace
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

/** A value of the header, as a message shows it. @param {unknown} x */
const shown = (x) =>
  x instanceof Map ? `an object of ${[...x.keys()].join(', ').slice(0, 60)}` : describe(x);

/** @param {Reader} r @param {unknown} notes */
function checkNotes(r, notes) {
  if (!(notes instanceof Map) || [...notes.values()].some((value) => typeof value !== 'string'))
    r.refuse('FORMAT', '__metadata__', shown(notes), 'an object of strings');
  if (notes.size > MAX_NOTES)
    r.refuse('LIMIT', '__metadata__', `${notes.size} entries`, `at most ${MAX_NOTES}`);
}

/**
 * @param {Reader} r
 * @param {string} name
 * @param {unknown} entry
 * @returns {TensorInfo} its offset counts from the beginning of the data
 */
function tensorOf(r, name, entry) {
  const called = `the tensor ${JSON.stringify(name.slice(0, 80))}`;
  if (name.length > MAX_NAME)
    r.refuse('LIMIT', called, `${name.length} characters long`, `at most ${MAX_NAME}`);
  const keys = ['dtype', 'shape', 'data_offsets'];
  if (!(entry instanceof Map) || entry.size !== 3 || !keys.every((key) => entry.has(key)))
    r.refuse(
      'FORMAT',
      called,
      `described by ${shown(entry)}`,
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
    r.refuse('FORMAT', `the shape of ${called}`, shown(shape), 'an array of counts');
  if (shape.length > MAX_RANK)
    r.refuse('LIMIT', `the rank of ${called}`, shape.length, `at most ${MAX_RANK}`);
  if (!counts(range) || range.length !== 2 || range[0] > range[1])
    r.refuse(
      'FORMAT',
      `data_offsets of ${called}`,
      shown(range),
      '[begin, end], begin at most end',
    );
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

/** @param {unknown} x @returns {x is number[]} */
const counts = (x) => Array.isArray(x) && x.every((size) => typeof size === 'number');

/**
 * The tensors with offsets from the beginning of the file. They must fill it.
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
  if (r.remaining !== Infinity && r.remaining !== end)
    r.refuse(
      r.remaining < end ? 'INTEGRITY' : 'FORMAT',
      'the rest of the file',
      `${r.remaining} bytes`,
      `${end}, as the header says${r.remaining < end ? '; it is cut off or damaged' : ''}`,
    );
  return tensors.map((tensor) => ({ ...tensor, offset: r.at + tensor.offset }));
}
