/**
 * Normalizers: steps that change a text before it is cut into words.
 * @typedef {import('./tokenizer-steps.js').Step} Step
 */

/**
 * A Unicode normal form. Sorting marks takes time with the square of their number. A letter with
 * more than 64 marks is no text; it is cut there, so that fewer have to be sorted.
 * @param {string} text
 * @param {'NFC' | 'NFKC'} form
 */
export const normalForm = (text, form) =>
  /\p{M}{65}/u.test(text)
    ? (text.match(/\P{M}+\p{M}{0,64}|\p{M}{1,64}/gu) ?? [])
        .map((part) => part.normalize(form))
        .join('')
    : text.normalize(form);

/**
 * A text after the steps of a normalizer.
 * @param {string} text
 * @param {Step | null | undefined} step checked
 * @returns {string}
 */
export function normalized(text, step) {
  switch (step?.type) {
    case 'Sequence':
      return step.normalizers.reduce(normalized, text);
    case 'Prepend':
      return text && step.prepend + text;
    case 'Replace':
      return text.replaceAll(step.pattern.String, () => step.content);
    case 'NFC':
    case 'NFKC':
      return normalForm(text, step.type);
    default:
      return text;
  }
}

/** A letter and its marks are at most this many characters. A normal form makes one of them. */
export const COMPOSED = 4;

/**
 * How many times shorter the steps may make a text; Infinity where there is no limit.
 * @param {Step | null | undefined} step checked
 * @returns {number}
 */
export function shrinkage(step) {
  switch (step?.type) {
    case 'Sequence':
      return step.normalizers
        .map(shrinkage)
        .reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
    case 'Replace':
      return Math.max(1, step.pattern.String.length / step.content.length);
    case 'NFC':
    case 'NFKC':
      return COMPOSED;
    default:
      return 1;
  }
}
