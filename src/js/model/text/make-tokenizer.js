import { elements, read, yes } from '../../check.js';
import { runAtOnce } from '../../engine/yield.js';
import { describe, refuse } from '../../errors.js';
import { countArguments } from '../../names.js';
import { utf8Decoder, utf8Encoder } from '../../engine/utf8.js';
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
 * How each tokenizer encodes in steps, and how many UTF-16 units a token may stand for.
 * @type {WeakMap<Tokenizer, { steps: (text: unknown, options: unknown) => Ids, units: number }>}
 */
const encoders = new WeakMap();

/** @param {Tokenizer} tokenizer one of a model */
const encoderOf = (tokenizer) =>
  encoders.get(tokenizer) ?? refuse('ARG', 'tokenizer', 'another', 'one of a model');

/**
 * The same as `encode`, in steps that give the number of ids so far.
 * @param {Tokenizer} tokenizer
 * @param {string} text
 * @param {import('../types.d.ts').EncodeOptions} [options]
 * @returns {Ids}
 */
export const encoding = (tokenizer, text, options) => encoderOf(tokenizer).steps(text, options);

/** The minimum of ids of a text of n units. @param {Tokenizer} tokenizer @param {number} n */
export const minTokens = (tokenizer, n) => Math.ceil(n / encoderOf(tokenizer).units);

/**
 * @param {import('./vocabulary.js').Vocabulary} vocabulary
 * @param {object} own
 * @param {number} own.bos
 * @param {boolean} own.addsBos
 * @param {number[]} own.ends −1 for none
 * @param {number} own.shrinks how many times shorter a text may become before it is cut
 * @param {(text: string, special: boolean, marks: boolean, continued: boolean) => Ids} own.encode
 * @returns {Tokenizer}
 */
export function makeTokenizer(vocabulary, { bos, addsBos, ends, shrinks, encode }) {
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
  const tokenizer = countArguments({
    size: vocabulary.size,
    bos,
    addsBos,
    ends: new Set([...ends.filter((id) => id >= 0), ...named]),
    encode: (/** @type {string} */ text, /** @type {unknown} */ options) =>
      runAtOnce(steps(text, options)),
    decode: (/** @type {unknown} */ ids, /** @type {unknown} */ options) =>
      vocabulary.decode(elements('ids', ids, 'an array of ids'), decoding(options)),
    stream: (/** @type {unknown} */ options) =>
      countArguments(vocabulary.stream(decoding(options))),
    token: (/** @type {number} */ id) => vocabulary.token(id),
  });
  const longest = vocabulary.texts.reduce((max, text) => Math.max(max, text.length), 1);
  encoders.set(tokenizer, { steps, units: shrinks * longest });
  return Object.freeze(tokenizer);
}

/** @param {unknown} options */
function decoding(options) {
  const { special, continued } = read('options', options, ['special', 'continued']);
  return { special: yes('special', special) === 1, continued: yes('continued', continued) === 1 };
}
