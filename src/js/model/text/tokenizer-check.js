import { describe, refuse } from '../../errors.js';

/**
 * What of tokenizer.json is let through. It is a small program (normalizers, pre-tokenizers,
 * decoders, regular expressions), and so only known steps and known expressions are run; the rest
 * is refused by name.
 */

const TOKENS = 2 ** 22;
const MERGES = 2 ** 22;
const ADDED = 65536;
const LENGTH = 1024;
const ADDED_LENGTH = 96;
const DEPTH = 4;
const STEPS_MAX = 32;

/**
 * All steps together may make a text so many times as long, and all added tokens so many
 * characters.
 */
const GROWTH = 128;
const ADDED_CHARACTERS = 2 ** 20;

/**
 * Expressions that cut a text into words in time proportional to its length; as Llama 3, Qwen 2 and
 * GPT-2 have them.
 */
const EXPRESSIONS = new Set([
  String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
  String.raw`\p{N}{1,3}`,
  String.raw`\p{N}`,
  String.raw`\d`,
]);

/**
 * Steps of each part, with how many times as long each may make a text, in UTF-16 units: Unicode
 * says 3 and 18 of its normal forms, and three bytes and a space may come of one.
 * @type {Record<string, Record<string, (step: any) => number>>}
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
      Math.max(1, single.filter((/** @type {any} */ part) => part?.Sequence).length),
  },
};
const HOLDS = /** @type {Record<string, string>} */ ({
  normalizer: 'normalizers',
  pre_tokenizer: 'pretokenizers',
  post_processor: 'processors',
});

/** @param {any} x @returns {x is Record<string, any>} */
const isObject = (x) => typeof x === 'object' && x !== null && !Array.isArray(x);

/** @param {any} json */
export function checkTokenizer(json) {
  const { model, added_tokens: added } = json;
  if (!isObject(model)) refuse('FORMAT', 'model of tokenizer.json', describe(model), 'an object');
  if (model.type !== undefined && model.type !== 'BPE')
    refuse('FORMAT', 'the type of model in tokenizer.json', describe(model.type), '"BPE"');
  const { vocab, merges } = model;
  if (!isObject(vocab)) refuse('FORMAT', 'vocab of tokenizer.json', describe(vocab), 'an object');
  if (!Array.isArray(added) || added.length > ADDED)
    refuse(
      'FORMAT',
      'added_tokens of tokenizer.json',
      describe(added),
      `an array of at most ${ADDED}`,
    );
  const size = Object.keys(vocab).length + added.length;
  const taken = new Uint8Array(
    size <= TOKENS
      ? size
      : refuse('LIMIT', 'the vocabulary', `${size} tokens`, `at most ${TOKENS}`),
  );
  for (const [text, id] of Object.entries(vocab)) {
    checkToken(text, id, size, LENGTH);
    if (taken[id]++) refuse('FORMAT', `the id ${id} in tokenizer.json`, 'there twice', 'each once');
  }
  for (const token of added) {
    checkToken(token?.content, token?.id, size, ADDED_LENGTH);
    if (!token.content || typeof token.special !== 'boolean')
      refuse('FORMAT', `the added token ${token.id}`, 'without text or special', 'both');
    // a regular expression would be made of it
    if (token.single_word) refuse('FORMAT', 'single_word of an added token', 'true', 'false');
  }
  if (!Array.isArray(merges) || merges.length > MERGES)
    refuse('FORMAT', 'merges of tokenizer.json', describe(merges), `an array of at most ${MERGES}`);
  // whose parts and joins are tokens is looked at where they are merged
  const odd = merges.findIndex(
    (merge) =>
      typeof merge !== 'string' &&
      !(
        Array.isArray(merge) &&
        merge.length === 2 &&
        merge.every((part) => typeof part === 'string')
      ),
  );
  if (odd >= 0)
    refuse('FORMAT', `merge ${odd} of tokenizer.json`, describe(merges[odd]), 'two tokens');
  for (const name of [
    'continuing_subword_prefix',
    'end_of_word_suffix',
    'continuing_subword_suffix',
    'dropout',
  ])
    if (model[name]) refuse('FORMAT', `${name} of tokenizer.json`, describe(model[name]), 'none');
  const grown = { steps: 0, by: 1 };
  for (const part of Object.keys(STEPS)) checkStep(part, json[part], grown, 0);
  const characters =
    grown.by *
    added.reduce(
      (/** @type {number} */ sum, /** @type {any} */ { content }) => sum + content.length,
      0,
    );
  if (characters > ADDED_CHARACTERS)
    refuse(
      'LIMIT',
      'added_tokens of tokenizer.json',
      `of ${Math.ceil(characters)} characters as they are looked for`,
      `at most ${ADDED_CHARACTERS}`,
    );
}

/** @param {any} text @param {any} id @param {number} size @param {number} length */
function checkToken(text, id, size, length) {
  if (typeof text !== 'string' || text.length > length)
    refuse('FORMAT', 'a token of tokenizer.json', describe(text), `a string of at most ${length}`);
  if (!Number.isInteger(id) || id < 0 || id >= size)
    refuse(
      'FORMAT',
      `the id of ${describe(text)}`,
      describe(id),
      `below ${size}, as many as there are`,
    );
}

/**
 * @param {string} part
 * @param {any} step
 * @param {{ steps: number, by: number }} grown by the steps so far
 * @param {number} depth
 */
function checkStep(part, step, grown, depth) {
  if (step === null || step === undefined) return;
  if (depth > DEPTH)
    refuse('LIMIT', `${part} of tokenizer.json`, `nested ${depth} deep`, `at most ${DEPTH}`);
  if (!isObject(step)) refuse('FORMAT', `${part} of tokenizer.json`, describe(step), 'an object');
  if (step.type === 'Sequence') {
    const list = step[HOLDS[part]];
    if (!Array.isArray(list))
      refuse(
        'FORMAT',
        `${part} of tokenizer.json`,
        'a sequence of nothing',
        `a list of ${HOLDS[part]}`,
      );
    return list.forEach((/** @type {any} */ one) => checkStep(part, one, grown, depth + 1));
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
      'with what it puts in, and for what',
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
      'a known one, since others could take for ever',
    );
  if (++grown.steps > STEPS_MAX)
    refuse('LIMIT', 'tokenizer.json', `of more than ${STEPS_MAX} steps`, 'fewer');
  if (!((grown.by *= STEPS[part][step.type](step)) <= GROWTH))
    refuse(
      'LIMIT',
      `${part} of tokenizer.json`,
      `such that a text becomes ${grown.by} times as long`,
      `at most ${GROWTH}`,
    );
}

/** Whether a step has what it puts in. @param {any} step */
function complete({
  type,
  prepend,
  content,
  pattern,
  behavior = '',
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
      return typeof behavior === 'string';
    case 'TemplateProcessing':
      return Array.isArray(single) && single.every(isObject);
    default:
      return true;
  }
}

/**
 * Of the decoder only this is needed: whether bytes are written as characters, or words begin with
 * ▁, and then whether the first space is dropped.
 * @param {any} decoder
 */
export function decoderOf(decoder) {
  /** @type {any[]} */
  const steps =
    decoder?.type === 'Sequence' && Array.isArray(decoder.decoders) ? decoder.decoders : [decoder];
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
