import { TYPES as WEIGHT_TYPES } from './weight-types.js';

/**
 * How numbers are stored, by the name of the type.
 * @typedef {import('../types.d.ts').TensorType} TensorType
 * @type {Record<TensorType, { id: number, block: number, bytes: number }>}
 */
export const TYPES = WEIGHT_TYPES;

/** @type {ReadonlyMap<number, TensorType>} */
export const BY_ID = new Map(
  /** @type {TensorType[]} */ (Object.keys(TYPES)).map((type) => [TYPES[type].id, type]),
);

/** The names of types of GGUF that are not supported, for errors. */
export const OTHERS = new Map(
  Object.entries({
    4: 'Q4_2',
    5: 'Q4_3',
    9: 'Q8_1',
    10: 'Q2_K',
    11: 'Q3_K',
    15: 'Q8_K',
    16: 'IQ2_XXS',
    17: 'IQ2_XS',
    18: 'IQ3_XXS',
    19: 'IQ1_S',
    20: 'IQ4_NL',
    21: 'IQ3_S',
    22: 'IQ2_S',
    23: 'IQ4_XS',
    24: 'I8',
    25: 'I16',
    26: 'I32',
    27: 'I64',
    28: 'F64',
    29: 'IQ1_M',
    31: 'Q4_0_4_4',
    32: 'Q4_0_4_8',
    33: 'Q4_0_8_8',
    34: 'TQ1_0',
    35: 'TQ2_0',
    36: 'IQ4_NL_4_4',
    37: 'IQ4_NL_4_8',
    38: 'IQ4_NL_8_8',
    39: 'MXFP4',
  }).map(([id, name]) => [Number(id), name]),
);

/** The largest number of tensors in a file. */
export const TENSORS_MAX = 65536;

/**
 * Bytes of a tensor: NaN where it cannot be told exactly, or where rows are no whole blocks.
 * @param {TensorType} type @param {readonly number[]} shape
 */
export function bytesOf(type, shape) {
  const { block, bytes } = TYPES[type];
  const row = shape.at(-1) ?? 1;
  const elements = shape.reduce((product, size) => product * size, 1);
  const all = (elements / block) * bytes;
  return row % block || !Number.isSafeInteger(elements) || !Number.isSafeInteger(all) ? NaN : all;
}
