import { utf8Encoder } from '../../engine/utf8.js';
import { runAtOnce } from '../../engine/yield.js';
import { WAYS, scan, words } from './pretokenize.js';
import { SPACE, written } from './vocabulary.js';

/**
 * Pre-tokenizers of tokenizer.json: steps that cut a text into words, as the library of Hugging
 * Face in Rust does. Digits are all numbers of Unicode, and white space is that of Unicode.
 * @typedef {import('./tokenizer-steps.js').Step} Step
 * @typedef {[text: string, matches: boolean]} Part of a text, cut by an expression
 */

const CONTRACTIONS = String.raw`'s|'t|'re|'ve|'m|'ll|'d`;
const LETTERS = String.raw`[^\r\n\p{L}\p{N}]?\p{L}+`;
const MARKS = String.raw`?[^\s\p{L}\p{N}]+`;
const SPACES = String.raw`\s+(?!\S)|\s+`;
/** The expression of Llama 3 and Qwen 2, with its expression of numbers. */
const byNumbers = (/** @type {string} */ numbers) =>
  String.raw`(?i:${CONTRACTIONS})|${LETTERS}|${numbers}| ${MARKS}[\r\n]*|\s*[\r\n]+|${SPACES}`;

/** Every character belongs to a match. @param {string} way @returns {(text: string) => Parts} */
const whole = (way) =>
  function* (text) {
    for (const word of words(runAtOnce(scan(text)), WAYS[way])) yield [word, true];
  };

/** @param {RegExp} expression @returns {(text: string) => Parts} */
const matching = (expression) =>
  function* (text) {
    let end = 0;
    for (const { 0: match, index } of text.matchAll(expression)) {
      if (index > end) yield [text.slice(end, index), false];
      yield [match, true];
      end = index + match.length;
    }
    if (end < text.length) yield [text.slice(end), false];
  };

/** The way of each expression that cuts a whole text. @type {ReadonlyMap<unknown, string>} */
export const WAY_OF = new Map([
  [byNumbers(String.raw`\p{N}{1,3}`), 'llama-bpe'],
  [byNumbers(String.raw`\p{N}`), 'qwen2'],
  [String.raw`${CONTRACTIONS}| ?\p{L}+| ?\p{N}+| ${MARKS}|${SPACES}`, 'gpt-2'],
]);

/**
 * Expressions that cut a text in time proportional to its length.
 * @typedef {Generator<Part, void, void>} Parts
 * @type {Map<unknown, (text: string) => Parts>}
 */
export const EXPRESSIONS = new Map([
  ...Array.from(WAY_OF, ([expression, way]) => /** @type {const} */ ([expression, whole(way)])),
  [String.raw`\p{N}{1,3}`, matching(/\p{N}{1,3}/gu)],
  [String.raw`\p{N}`, matching(/\p{N}/gu)],
  [String.raw`\d`, matching(/\p{Nd}/gu)],
]);

/** @param {string} text @param {string} separator @returns {Parts} */
function* between(text, separator) {
  let begin = 0;
  for (;;) {
    const at = separator ? text.indexOf(separator, begin) : -1;
    if (at < 0) break;
    if (at > begin) yield [text.slice(begin, at), false];
    yield [separator, true];
    begin = at + separator.length;
  }
  if (begin < text.length) yield [text.slice(begin), false];
}

/** Where matches go; those that Split names. */
export const BEHAVIORS = [
  'Isolated',
  'Removed',
  'Contiguous',
  'MergedWithPrevious',
  'MergedWithNext',
];

/**
 * @param {Iterable<Part>} parts
 * @param {string} behavior
 * @returns {Generator<string, void, void>}
 */
function* joined(parts, behavior) {
  let kept = '';
  let before = false;
  for (const [text, matches] of parts) {
    const joins =
      behavior === 'Contiguous'
        ? matches === before
        : behavior === 'MergedWithPrevious'
          ? matches && !before
          : behavior === 'MergedWithNext' && !matches && before;
    if (!joins && kept) yield kept;
    kept = (joins ? kept : '') + (behavior === 'Removed' && matches ? '' : text);
    before = matches;
  }
  if (kept) yield kept;
}

/**
 * The words of a text. A step of a sequence cuts further the pieces of the one before.
 * @param {string} text
 * @param {Step | null | undefined} step checked
 * @param {boolean} first whether it is the beginning of the whole text
 * @returns {Generator<string, void, void>}
 */
export function* cut(text, step, first) {
  switch (step?.type) {
    case 'Sequence':
      yield* cutFurther(text, step.pretokenizers, first);
      break;
    case 'Split':
      yield* joined(splitParts(text, step), step.behavior ?? BEHAVIORS[0]);
      break;
    case 'Digits':
      yield* joined(matching(/\p{N}/gu)(text), step.individual_digits ? 'Isolated' : 'Contiguous');
      break;
    case 'ByteLevel': {
      const all = step.add_prefix_space && !text.startsWith(' ') ? ` ${text}` : text;
      const pieces = (step.use_regex ?? true) ? words(runAtOnce(scan(all)), WAYS['gpt-2']) : [all];
      for (const piece of pieces) yield written(utf8Encoder().encode(piece));
      break;
    }
    case 'Metaspace':
      yield* metaspaced(text, step, first);
      break;
    default:
      yield text;
  }
}

/**
 * @param {string} text
 * @param {Step[]} steps
 * @param {boolean} first
 * @returns {Generator<string, void, void>}
 */
function* cutFurther(text, [step, ...more], first) {
  let isFirst = first;
  for (const piece of cut(text, step, first)) {
    if (more.length) yield* cutFurther(piece, more, isFirst);
    else yield piece;
    isFirst = false;
  }
}

/** @param {string} text @param {Step} step Split @returns {Generator<Part, void, void>} */
function* splitParts(text, { pattern, invert }) {
  const find = EXPRESSIONS.get(pattern.Regex);
  for (const [part, matches] of find ? find(text) : between(text, pattern.String))
    yield [part, matches !== (invert === true)];
}

/**
 * Spaces become the mark of a word. Each mark begins a word, unless `split` is false.
 * @param {string} text
 * @param {Step} step Metaspace
 * @param {boolean} first
 */
function metaspaced(text, step, first) {
  const { replacement: mark = SPACE, prepend_scheme: scheme, add_prefix_space: prefix } = step;
  const marked = text.replaceAll(' ', step.str_rep || mark);
  const prepends =
    scheme === undefined || scheme === null
      ? prefix !== false
      : scheme === 'always' || (scheme === 'first' && first);
  const all = prepends && !marked.startsWith(mark) ? (step.str_rep || mark) + marked : marked;
  return step.split === false ? [all] : joined(between(all, mark), 'MergedWithNext');
}
