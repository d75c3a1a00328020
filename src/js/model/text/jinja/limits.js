import { ClearheadError } from '../../../errors.js';
import { Namespace, Stream, View } from './values.js';

/**
 * Limits of a run. Each value that is computed costs as many steps as it has parts, out of a fixed
 * number. An operation that combines two values or searches one in the other costs their product,
 * in advance.
 * @typedef {import('./values.js').Value} Value
 */

/**
 * Steps in all, characters of a text, product of the sizes of an object and an argument.
 */
const MAX_STEPS = 2 ** 22;
const MAX_TEXT = 2 ** 20;
const MAX_PRODUCT = 2 ** 26;
/** Depth of evaluation, depth of values, length of a range. */
const MAX_DEPTH = 400;
const MAX_NESTING = 32;
export const MAX_RANGE = 4096;

/**
 * Characters of a text that cost one step. Texts inside a value that is not printed cost less,
 * since they are rarely read.
 */
const CHARS = 16;
const INNER_CHARS = 512;
/** Steps of a call, or of one run through a loop. */
const LOOP_STEPS = 16;
/** The part of a product that costs one step. */
const PRODUCT_STEP = 64;

/** @param {string} problem @returns {never} */
export function exceed(problem) {
  throw new ClearheadError('LIMIT', `the chat template ${problem}`);
}

export class Budget {
  #steps = 0;
  #depth = 0;

  /** Evaluates a node one level deeper. @template T @param {() => T} evaluate @returns {T} */
  deeper(evaluate) {
    if (++this.#depth > MAX_DEPTH) exceed(`nests deeper than ${MAX_DEPTH}`);
    try {
      return evaluate();
    } finally {
      this.#depth--;
    }
  }

  /** @param {number} [times] calls, or runs through a loop */
  runs(times = 1) {
    this.#spend(LOOP_STEPS * times);
  }

  /**
   * Spends the steps of a value, and returns its size in characters and parts.
   * @param {Value} value
   * @param {boolean} [printed]
   * @param {number} [nesting]
   * @returns {number}
   */
  pay(value, printed = false, nesting = 0) {
    if (nesting > MAX_NESTING) exceed(`makes values nested deeper than ${MAX_NESTING}`);
    let size = 1;
    if (typeof value === 'string') {
      size += value.length;
      if (size > MAX_TEXT) exceed(`makes a text of more than ${MAX_TEXT} characters`);
      this.#spend(Math.floor(value.length / (nesting && !printed ? INNER_CHARS : CHARS)));
    } else {
      const parts = partsOf(value);
      if (parts) for (const part of parts) size += this.pay(part, printed, nesting + 1);
    }
    this.#spend(1);
    return size;
  }

  /**
   * Spends the steps of an operation on a value with an argument, before it runs.
   * @param {Value} value
   * @param {Value} argument
   */
  combine(value, argument) {
    const [size, own] = [value, argument].map((one) =>
      typeof one === 'number' ? Math.abs(one) : this.pay(one),
    );
    const product = (size + 1) * (own + 1);
    if (product > MAX_PRODUCT)
      exceed('would make a text that is too long, or look for one in another');
    this.#spend(Math.floor(product / PRODUCT_STEP));
  }

  /** @param {number} steps */
  #spend(steps) {
    if ((this.#steps += steps) > MAX_STEPS) exceed(`takes more than ${MAX_STEPS} steps`);
  }
}

/** @param {Value} value @returns {Iterable<Value> | undefined} */
function partsOf(value) {
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return value.values();
  if (value instanceof View || value instanceof Stream) return value.items;
  return value instanceof Namespace ? value.attributes.values() : undefined;
}
