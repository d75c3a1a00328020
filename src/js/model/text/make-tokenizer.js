import { read, yes } from '../../check.js';
import { runAtOnce } from '../../engine/yield.js';
import { describe, refuse } from '../../errors.js';
import { utf8Decoder, utf8Encoder } from '../../engine/platform.js';
import { CONTROL } from './vocabulary.js';

/** The methods of every tokenizer, whichever file it comes from. */

/**
 * Control tokens that end a turn or a text in known chat formats. Files do not always name them.
 * Gemma has an ordinary </s>, of HTML.
 */
const ENDS = new Set([
  '<|eot_id|>',
  '<|eom_id|>',
  '<|im_end|>',
  '<|end|>',
  '<end_of_turn>',
  '<|endoftext|>',
  '<|end_of_text|>',
  '<|end_of_turn|>',
  '</s>',
  '<eos>',
]);

/**
 * @typedef {import('../types.d.ts').Tokenizer} Tokenizer
 * @typedef {import('../../engine/yield.js').Steps<number[]>} Ids
 */

/**
 * How each tokenizer encodes in steps.
 * @type {WeakMap<Tokenizer, (text: unknown, options: unknown) => Ids>}
 */
const encoders = new WeakMap();

/**
 * The same as `encode`, in steps that give the number of ids so far.
 * @param {Tokenizer} tokenizer
 * @param {string} text
 * @param {import('../types.d.ts').EncodeOptions} [options]
 * @returns {Ids}
 */
export const encoding = (tokenizer, text, options) =>
  encoders.get(tokenizer)?.(text, options) ??
  refuse('ARG', 'tokenizer', 'another', 'one of a model');

/**
 * @param {import('./vocabulary.js').Vocabulary} vocabulary
 * @param {object} own
 * @param {number} own.bos
 * @param {boolean} own.addsBos
 * @param {number[]} own.ends −1 for none
 * @param {(text: string, special: boolean, marks: boolean, continued: boolean) => Ids} own.encode
 * @returns {Tokenizer}
 */
export function makeTokenizer(vocabulary, { bos, addsBos, ends, encode }) {
  const named = vocabulary.texts.flatMap((text, id) =>
    ENDS.has(text) && vocabulary.kinds[id] === CONTROL ? [id] : [],
  );
  /** @param {unknown} text @param {unknown} options @returns {Ids} */
  const steps = (text, options) => {
    const { special, marks, continued } = read('options', options, [
      'special',
      'marks',
      'continued',
    ]);
    const isContinued = yes('continued', continued) === 1;
    if (typeof text !== 'string') refuse('ARG', 'text', describe(text), 'a string');
    // half a surrogate pair has no bytes; as in any other encoding it becomes U+FFFD
    const whole = /\p{Cs}/u.test(text)
      ? utf8Decoder({ ignoreBOM: true }).decode(utf8Encoder().encode(text))
      : text;
    return encode(
      whole,
      yes('special', special) === 1,
      yes('marks', marks === undefined ? !isContinued : marks) === 1,
      isContinued,
    );
  };
  /** @type {Tokenizer} */
  const tokenizer = Object.freeze({
    size: vocabulary.size,
    bos,
    addsBos,
    ends: new Set([...ends.filter((id) => id >= 0), ...named]),
    encode: (/** @type {string} */ text, /** @type {unknown} */ options) =>
      runAtOnce(steps(text, options)),
    decode: (/** @type {ArrayLike<number>} */ ids, /** @type {unknown} */ options) =>
      vocabulary.decode(ids, decoding(options)),
    stream: (/** @type {unknown} */ options) => vocabulary.stream(decoding(options)),
    token: (/** @type {number} */ id) => vocabulary.token(id),
  });
  encoders.set(tokenizer, steps);
  return tokenizer;
}

/** @param {unknown} options */
function decoding(options) {
  const { special, continued } = read('options', options, ['special', 'continued']);
  return { special: yes('special', special) === 1, continued: yes('continued', continued) === 1 };
}
