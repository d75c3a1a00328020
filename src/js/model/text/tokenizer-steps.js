import { describe, refuse } from '../../errors.js';
import { BEHAVIORS, EXPRESSIONS } from './words.js';

/**
 * The steps of tokenizer.json: normalizers, pre-tokenizers, post-processors and decoders. They make
 * the file a small program, so only known steps and known expressions are run.
 * @typedef {Record<string, any>} Step
 */

const MAX_DEPTH = 4;
const MAX_STEPS = 32;

/** How many times as long all steps together may make a text. */
const MAX_GROWTH = 128;

/**
 * The known steps of each part, and how many times as long each may make a text in UTF-16 units.
 * Unicode gives 3 and 18 for its normal forms. ByteLevel may make three bytes and a space of one.
 * @type {Record<string, Record<string, (step: Step) => number>>}
 */
const STEPS = {
  normalizer: {
    NFC: () => 3,
    NFKC: () => 18,
    Prepend: ({ prepend }) => 1 + prepend.length,
    Replace: ({ content, pattern }) => Math.max(1, content.length / pattern.String.length),
  },
  pre_tokenizer: {
    ByteLevel: () => 4,
    Split: () => 1,
    Digits: () => 1,
    Metaspace: ({ replacement = '', str_rep: own = '' }) =>
      1 + Math.max(1, replacement.length, own.length),
  },
  post_processor: {
    ByteLevel: () => 1,
    TemplateProcessing: ({ single }) =>
      Math.max(1, single.filter((/** @type {Step} */ part) => part?.Sequence).length),
  },
};
/** The parts of the file that have steps. */
export const PARTS = Object.keys(STEPS);
/** Where a sequence has its steps. */
const LISTS = /** @type {Record<string, string>} */ ({
  normalizer: 'normalizers',
  pre_tokenizer: 'pretokenizers',
  post_processor: 'processors',
});

/** @param {unknown} x @returns {x is Step} */
export const isObject = (x) => typeof x === 'object' && x !== null && !Array.isArray(x);

/**
 * @param {string} part
 * @param {unknown} step
 * @param {{ steps: number, by: number }} grown by the steps so far
 * @param {number} depth
 */
export function checkStep(part, step, grown, depth) {
  if (step === null || step === undefined) return;
  if (depth > MAX_DEPTH)
    refuse('LIMIT', `${part} of tokenizer.json`, `nested ${depth} deep`, `at most ${MAX_DEPTH}`);
  if (!isObject(step)) refuse('FORMAT', `${part} of tokenizer.json`, describe(step), 'an object');
  if (step.type === 'Sequence') {
    const list = step[LISTS[part]];
    if (!Array.isArray(list))
      refuse(
        'FORMAT',
        `${part} of tokenizer.json`,
        'a sequence of nothing',
        `a list of ${LISTS[part]}`,
      );
    return list.forEach((/** @type {unknown} */ one) => checkStep(part, one, grown, depth + 1));
  }
  if (typeof step.type !== 'string' || !Object.hasOwn(STEPS[part], step.type))
    refuse(
      'FORMAT',
      `a step of ${part} in tokenizer.json`,
      describe(step.type),
      Object.keys(STEPS[part]).join(', '),
    );
  if (!complete(step))
    refuse(
      'FORMAT',
      `a step of ${part} in tokenizer.json`,
      describe(step.type),
      'with all its texts',
    );
  const { pattern } = step;
  if (
    (pattern !== undefined || step.type === 'Split') &&
    typeof pattern?.String !== 'string' &&
    !EXPRESSIONS.has(pattern?.Regex)
  )
    refuse(
      'FORMAT',
      `the expression of ${part} in tokenizer.json`,
      describe(pattern?.Regex),
      'a known one: others may never end',
    );
  if (++grown.steps > MAX_STEPS)
    refuse('LIMIT', 'tokenizer.json', `of more than ${MAX_STEPS} steps`, 'fewer');
  if (!((grown.by *= STEPS[part][step.type](step)) <= MAX_GROWTH))
    refuse(
      'LIMIT',
      `${part} of tokenizer.json`,
      `such that a text becomes ${grown.by} times as long`,
      `at most ${MAX_GROWTH} times`,
    );
}

/** Whether a step has all the texts it uses. @param {Step} step */
function complete({
  type,
  prepend,
  content,
  pattern,
  behavior = BEHAVIORS[0],
  replacement = '',
  str_rep: own = '',
  single,
}) {
  switch (type) {
    case 'Prepend':
      return typeof prepend === 'string';
    case 'Replace':
      return (
        typeof content === 'string' && typeof pattern?.String === 'string' && pattern.String !== ''
      );
    case 'Metaspace':
      return typeof replacement === 'string' && typeof own === 'string';
    case 'Split':
      return BEHAVIORS.includes(behavior);
    case 'TemplateProcessing':
      return Array.isArray(single) && single.every(isObject);
    default:
      return true;
  }
}

/**
 * How a decoder writes text: whether bytes are written as characters, and whether the first space
 * is dropped.
 * @param {Step | null | undefined} decoder
 */
export function decoderOf(decoder) {
  /** @type {Step[]} */
  const steps =
    decoder?.type === 'Sequence' && Array.isArray(decoder.decoders)
      ? decoder.decoders
      : [decoder ?? {}];
  const names = steps.map((step) => step?.type);
  if (names.includes('ByteLevel')) return { byteLevel: true, stripsSpace: false };
  const other = names.findIndex(
    (name) => !['Replace', 'ByteFallback', 'Fuse', 'Strip', 'Metaspace'].includes(name),
  );
  if (other >= 0 || !(names.includes('Replace') || names.includes('Metaspace')))
    refuse(
      'FORMAT',
      'decoder of tokenizer.json',
      describe(names[Math.max(0, other)]),
      'ByteLevel, Metaspace, or Replace, ByteFallback, Fuse and Strip',
    );
  const stripsSpace = steps.some(
    ({ type, start, prepend_scheme: scheme, add_prefix_space: prefix }) =>
      (type === 'Strip' && typeof start === 'number' && start > 0) ||
      (type === 'Metaspace' && scheme !== 'never' && prefix !== false),
  );
  return { byteLevel: false, stripsSpace };
}
