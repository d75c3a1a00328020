/**
 * The options of attention: how each is read, checked and told to C. A new one is a row of OPTIONS,
 * beside its type in types.d.ts.
 */
import { kindOf } from '../arrays.js';
import {
  array,
  choice,
  int32s,
  integer,
  integers,
  list,
  number,
  read,
  sized,
  yes,
} from '../check.js';
import { ATTN_FLOAT, ATTN_INT8, ATTN_MASK_ADD, ATTN_MASK_SELECT } from '../engine/constants.js';
import { F32, Tensor, kindsOf } from '../engine/tensor.js';
import { checkStatus } from '../engine/status.js';
import { describe, refuse } from '../errors.js';
import { shaped } from '../engine/shapes.js';

/**
 * @typedef {import('../engine/exports.d.ts').Functions} Functions
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../types.d.ts').AttentionOptions} AttentionOptions
 * @typedef {Record<'batch' | 'heads' | 'kvHeads' | 'm' | 'n' | 'headDim' | 'valueDim', number>}
 *   Shape in the order of attn_init
 */
/**
 * The arguments of a setter.
 * @typedef {object} Call
 * @property {Memory} memory
 * @property {Functions} c
 * @property {number} p the attn_params
 * @property {import('../types.d.ts').DType} type
 * @property {Shape} shape
 *
 * @typedef {(call: Call, x: unknown, name: string) => void} Setter
 */

/**
 * Options as read.
 * @template {Partial<AttentionOptions>} O
 * @typedef {O & { want: import('../types.d.ts').Want }} Read
 */

/** Layouts, as attn.h numbers them in `positions_first`. */
export const LAYOUTS = { bhsd: 0, bshd: 1 };

/** @type {Setter} */
const setCausal = ({ c, p }, x, name) => c.attn_set_causal(p, yes(name, x));

/**
 * @param {string} expected
 * @param {(c: Functions) => (p: number, x: number) => number} setter returns a status
 * @returns {Setter}
 */
const real =
  (expected, setter) =>
  ({ c, p }, x, name) =>
    checkStatus(setter(c)(p, number(name, x)), name, describe(x), expected);

/**
 * Floats of the data's type.
 * @param {'n' | 'heads'} length
 * @param {(c: Functions) => (p: number, at: number) => void} setter
 * @returns {Setter}
 */
const floats =
  (length, setter) =>
  ({ memory, c, p, type, shape }, x, name) => {
    const a = sized(name, memory.floats(name, x, type), shape[length], length);
    shaped(name, x, { [length]: shape[length] });
    setter(c)(p, memory.put(a, type));
  };

/** One integer for each batch. @param {Call} call @param {unknown} x @param {string} name */
const each = ({ shape }, x, name) => sized(name, int32s(name, x), shape.batch, 'batch');

/** @type {Setter} */
function setLayout({ c, p }, x, name) {
  c.attn_set_layout(p, word(name, x, LAYOUTS));
}

/** @type {Setter} */
function setPrecision({ c, p, type }, x, name) {
  const precision = word(name, x, { float: ATTN_FLOAT, int8: ATTN_INT8 });
  if (precision === ATTN_INT8 && type !== F32) refuse('ARG', name, 'int8 of float64', F32);
  c.attn_set_precision(p, precision);
}

/** @type {Setter} */
function setWindow({ c, p }, x, name) {
  const sides = '[left, right]';
  const [left, right] = sized(name, list(name, x, sides), 2, sides).map((side, i) =>
    side === Infinity ? -1 : integer(`${name}[${i}]`, side, 0),
  );
  c.attn_set_window(p, left, right);
}

/** A difference of positions may be −0, which is 0 here. @type {Setter} */
function setOffset(call, x, name) {
  const { memory, c, p } = call;
  const status =
    typeof x === 'number'
      ? c.attn_set_offset(p, integer(name, x + 0, -(2 ** 31)), 0)
      : c.attn_set_offset(p, 0, memory.put(each(call, x, name), 'int32'));
  checkStatus(status, name, describe(x), 'integers from -2^29 to 2^29');
}

/** @type {Setter} */
function setKeyLengths(call, x, name) {
  const { memory, c, p, shape } = call;
  const lengths = each(call, x, name);
  integers(name, lengths, 0, shape.n);
  c.attn_set_key_lengths(p, memory.put(lengths, 'int32'));
}

/** @type {Setter} */
function setMask({ memory, c, p, type, shape }, mask) {
  const { data, shape: given } = /** @type {{ data: unknown, shape: unknown }} */ (mask);
  const { batch, heads, m, n } = shape;
  const sizes = integers('mask.shape', list('mask.shape', given), 0);
  const words = `(${sizes})`;
  if (!sizes.length || sizes.length > 4) refuse('SHAPE', 'mask.shape', words, '1 to 4 sizes');
  const x = Tensor.is(data)
    ? memory.floats('mask.data', data, type)
    : memory.outside('mask.data', array('mask.data', data, 'Uint8Array', ...kindsOf(type)));
  const length = sizes.reduce((a, b) => a * b);
  sized('mask.data', x, length, words);
  shaped('mask.data', data, Object.fromEntries(sizes.map((size, i) => [`axis ${i}:`, size])));
  const select = kindOf(x) === 'Uint8Array';
  const at = memory.put(x, select ? 'uint8' : type);
  const [b, h, rows, columns] = [1, 1, 1, ...sizes].slice(-4);
  checkStatus(
    c.attn_set_mask(p, select ? ATTN_MASK_SELECT : ATTN_MASK_ADD, at, b, h, rows, columns),
    'mask.shape',
    words,
    `one that broadcasts to (${[batch, heads, m, n]})`,
  );
}

/** Options that give the shape, or that are about results. */
const SIZES = /** @type {const} */ (['batch', 'heads', 'kvHeads', 'headDim', 'valueDim']);
const RESULTS = /** @type {const} */ (['out', 'want']);

/**
 * All others. Setters do not depend on each other: their order only says which of two bad options
 * is reported.
 * @type {Record<
 *   Exclude<keyof AttentionOptions, typeof SIZES[number] | typeof RESULTS[number]>, Setter>}
 */
const OPTIONS = {
  layout: setLayout,
  causal: setCausal,
  precision: setPrecision,
  scale: real('finite', (c) => c.attn_set_scale),
  temperature: real('at least 0', (c) => c.attn_set_temperature),
  softcap: real('finite, at least 0', (c) => c.attn_set_softcap),
  keyScale: floats('n', (c) => c.attn_set_key_scale),
  alibi: floats('heads', (c) => c.attn_set_alibi),
  sinks: floats('heads', (c) => c.attn_set_sinks),
  window: setWindow,
  offset: setOffset,
  keyLengths: setKeyLengths,
  mask: setMask,
};
const SETTERS = Object.entries(OPTIONS);

/** All options but those and the sizes. @param {string[]} names */
export const without = (...names) => Object.keys(OPTIONS).filter((name) => !names.includes(name));

/** The options of Engine.attention. */
export const OF_ATTENTION = [...SIZES, ...without(), ...RESULTS];
/** The options of Engine.attend. The cache gives the other sizes. */
export const OF_ATTEND = ['heads', ...without('precision'), ...RESULTS];
/**
 * The value of a word; of the first where there is none.
 * @param {string} name
 * @param {unknown} x
 * @param {Record<string, number>} words
 */
export function word(name, x, words) {
  return Object.values(words)[choice(name, x, ...Object.keys(words))];
}

/**
 * Reads the options and the objects among them, so that no getter runs later.
 * @template {Partial<AttentionOptions>} O
 * @param {O | undefined} options
 * @param {readonly string[]} names
 * @param {readonly string[]} [wants] names of further results
 * @returns {Read<O>}
 */
export function readOptions(
  options,
  names,
  wants = ['weights', 'scores', 'lse', 'stats', 'spans'],
) {
  const o = /** @type {Read<O>} */ (read('options', options, names));
  if (o.mask !== undefined) o.mask = read('mask', o.mask, ['data', 'shape'], '{ data, shape }');
  o.want = read('want', o.want, wants);
  if (typeof o.want.weights === 'object')
    o.want.weights = read('want.weights', o.want.weights, ['heads', 'rows']);
  return o;
}

/**
 * Begins an attn_params, and tells C every option that is given. Arrays among them are copied in.
 * @param {Memory} memory
 * @param {import('../types.d.ts').DType} type
 * @param {Shape} shape
 * @param {Partial<AttentionOptions>} o options, as read
 */
export function setOptions(memory, type, shape, o) {
  const { c } = memory;
  const p = memory.push(c.attn_params_bytes());
  const { batch, heads, kvHeads, m, n, headDim, valueDim } = shape;
  checkStatus(
    c.attn_init(p, batch, heads, kvHeads, m, n, headDim, valueDim),
    'shape',
    `(${Object.values(shape)})`,
    'arrays below 4 GiB',
  );
  const call = { memory, c, p, type, shape };
  const given = /** @type {Record<string, unknown>} */ (o);
  for (const [name, set] of SETTERS) if (given[name] !== undefined) set(call, given[name], name);
  return p;
}
