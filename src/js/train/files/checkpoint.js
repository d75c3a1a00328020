import { kindOf } from '../../arrays.js';
import { array, describeAwaited, integer } from '../../check.js';
import { utf8Decoder, utf8Encoder } from '../../engine/utf8.js';
import { describe, live, refuse } from '../../errors.js';
import { isArrayBuffer, isPlain } from '../../kinds.js';
import { joined } from '../../model/files/bytes.js';

/**
 * A checkpoint: all that a trainer needs to go on with the same bits. docs/training.md has the
 * layout. A file may come from anywhere, so nothing in it is used before it is checked.
 *
 * @typedef {object} Checkpoint
 * @property {Record<string, unknown>} settings of the trainer, of values that JSON has. They are
 *   checked where a trainer is made of them.
 * @property {number} steps that are done
 * @property {Float32Array} parameters of the model
 * @property {Float32Array} firstMoments of the optimizer, as many as parameters
 * @property {Float32Array} secondMoments likewise
 */

const MAGIC = 'CLEARTRN';
const VERSION = 1;

/** Bytes before the settings: name, version, length of the settings, number of parameters. */
const START = 24;
/** Bytes of the checksum at the end. */
const END = 8;
const ALIGNMENT = 8;

/** A file beyond these limits is refused. */
const MAX_SETTINGS = 2 ** 20;
const MAX_PARAMETERS = 2 ** 28;

/** @param {Checkpoint} checkpoint @returns {Uint8Array} */
export function writeCheckpoint({ settings, steps, parameters, firstMoments, secondMoments }) {
  const text = utf8Encoder().encode(JSON.stringify({ settings, steps }));
  const length = Math.ceil(text.length / ALIGNMENT) * ALIGNMENT;
  const start = new Uint8Array(START + length).fill(0x20);
  const view = new DataView(start.buffer);
  start.set(utf8Encoder().encode(MAGIC));
  view.setUint32(8, VERSION, true);
  view.setUint32(12, length, true);
  view.setBigUint64(16, BigInt(parameters.length), true);
  start.set(text, START);
  const pieces = [start, ...[parameters, firstMoments, secondMoments].map(bytesOf)];
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const all = joined([...pieces, new Uint8Array(END)], size + END);
  new Uint32Array(all.buffer).set(checksum(all.subarray(0, size)), size / 4);
  return all;
}

/** The bytes that a caller gives, not copied. @param {unknown} given */
export function checkpointBytes(given) {
  if (kindOf(given) === 'Uint8Array') return array('checkpoint', given, 'Uint8Array');
  if (!isArrayBuffer(given))
    refuse('ARG', 'checkpoint', describeAwaited(given), 'Uint8Array or ArrayBuffer');
  return new Uint8Array(live('checkpoint', given));
}

/**
 * FORMAT: another file, or a later version. INTEGRITY: cut off or damaged. LIMIT: too large.
 * @param {unknown} given
 * @returns {Checkpoint}
 */
export function readCheckpoint(given) {
  // a copy begins where floats may
  const bytes = checkpointBytes(given).slice();
  const view = new DataView(bytes.buffer);
  const name = String.fromCharCode(...bytes.subarray(0, MAGIC.length));
  if (name !== MAGIC.slice(0, name.length) || !name)
    refuse('FORMAT', 'checkpoint', `a file that begins ${describe(name)}`, describe(MAGIC));
  if (bytes.length < START + END) cut(bytes, START + END);
  const version = view.getUint32(8, true);
  if (version !== VERSION) refuse('FORMAT', 'the version of checkpoint', version, `${VERSION}`);
  const length = view.getUint32(12, true);
  const count = Number(view.getBigUint64(16, true));
  if (length > MAX_SETTINGS)
    refuse('LIMIT', 'checkpoint', `with settings of ${length} bytes`, `at most ${MAX_SETTINGS}`);
  if (count > MAX_PARAMETERS)
    refuse('LIMIT', 'checkpoint', `of ${count} parameters`, `at most ${MAX_PARAMETERS}`);
  const size = START + length + 12 * count;
  if (bytes.length !== size + END || length % ALIGNMENT) cut(bytes, size + END);
  const [low, high] = checksum(bytes.subarray(0, size));
  if (view.getUint32(size, true) !== low || view.getUint32(size + 4, true) !== high)
    refuse('INTEGRITY', 'checkpoint', 'damaged (its checksum)', 'one as it was written');
  const { settings, steps } = contentOf(bytes.subarray(START, START + length));
  const floats = (/** @type {number} */ part) =>
    new Float32Array(bytes.buffer, START + length + 4 * part * count, count);
  return {
    settings,
    steps,
    parameters: floats(0),
    firstMoments: floats(1),
    secondMoments: floats(2),
  };
}

/** @param {Uint8Array} bytes @param {number} expected @returns {never} */
const cut = (bytes, expected) =>
  refuse('INTEGRITY', 'checkpoint', describe(bytes), `${expected}; it is cut off or damaged`);

/** @param {Uint8Array} text @returns {Pick<Checkpoint, 'settings' | 'steps'>} */
function contentOf(text) {
  /** @type {unknown} */
  let content;
  try {
    content = JSON.parse(utf8Decoder({ fatal: true }).decode(text));
  } catch {
    refuse('FORMAT', 'the settings of checkpoint', 'not JSON', 'JSON in UTF-8');
  }
  const { settings, steps } = isPlain(content) ? content : refuseSettings(content);
  if (!isPlain(settings)) refuseSettings(settings);
  return {
    settings: /** @type {Record<string, unknown>} */ (settings),
    steps: integer('steps of checkpoint', steps, 0, Number.MAX_SAFE_INTEGER),
  };
}

/** @param {unknown} x @returns {never} */
const refuseSettings = (x) =>
  refuse('FORMAT', 'the settings of checkpoint', describe(x), 'an object');

/** @param {Float32Array} floats */
const bytesOf = ({ buffer, byteOffset, byteLength }) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/**
 * Two sums of 32 bits over words of 4 bytes. Each step of a sum is a bijection, so one changed word
 * changes both. The shifts carry high bits down, where a product alone only moves them up.
 * @param {Uint8Array} bytes aligned, of whole words
 */
function checksum(bytes) {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  let a = 0x9e3779b9;
  let b = 0x7f4a7c15;
  for (const word of words) {
    a = Math.imul(a ^ word, 0x85ebca6b);
    a ^= a >>> 13;
    b = Math.imul((b + word) | 0, 0xc2b2ae35);
    b ^= b >>> 16;
  }
  return [a >>> 0, b >>> 0];
}
