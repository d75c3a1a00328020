/**
 * How byte-level vocabularies cut a text into words before merging. Each way is defined by regular
 * expressions. Scanners here do the same in one pass, because an expression may backtrack without
 * end on a hostile text. And \s in JavaScript has U+FEFF and lacks U+0085. A test compares the two.
 */

const LETTER = 1;
const NUMBER = 2;
const SPACE = 4;
const NEWLINE = 8;
const MARK = 16;
const DIGIT = 32;

/** Classes of code points, computed at first use. */
const known = new Uint8Array(0x110000);
const SEEN = 128;

/** @param {number} code */
function classOf(code) {
  if (known[code]) return known[code];
  const c = String.fromCodePoint(code);
  let bits = SEEN;
  if (/\p{L}/u.test(c)) bits |= LETTER;
  if (/\p{N}/u.test(c)) bits |= NUMBER;
  if (/\p{White_Space}/u.test(c)) bits |= SPACE;
  if (c === '\n' || c === '\r') bits |= NEWLINE;
  if (/[\p{P}$+<=>^~|]/u.test(c)) bits |= MARK;
  if (/[0-9]/.test(c)) bits |= DIGIT;
  return (known[code] = bits);
}

/**
 * A text as scanners read it: its code points and their classes. A stage tells from a position
 * where its piece ends.
 * @typedef {{ text: string, length: number, codes: Uint32Array, classes: Uint8Array }} Scanned
 * @typedef {(text: Scanned, at: number, end: number) => number} Stage
 */

/**
 * The first position from `at` on whose class is not among `bits` (or, negated, is).
 * @param {Uint8Array} classes
 * @param {number} at
 * @param {number} end
 * @param {number} bits
 * @param {boolean} [negated]
 */
function run(classes, at, end, bits, negated = false) {
  while (at < end && !(classes[at] & bits) === negated) at++;
  return at;
}

const WORD = LETTER | NUMBER | SPACE;
const code = (/** @type {string} */ c) => c.charCodeAt(0);
const APOSTROPHE = code("'");
const BLANK = code(' ');
const ENDINGS = ['s', 't', 're', 've', 'm', 'll', 'd'].map((ending) => [...ending].map(code));

/**
 * The end of an English contraction (see ENDINGS); `at` where there is none.
 * @param {Scanned} text
 * @param {number} at
 * @param {number} end
 * @param {number} fold 32 to ignore case
 */
function contraction({ codes }, at, end, fold) {
  if (codes[at] !== APOSTROPHE) return at;
  for (const ending of ENDINGS)
    if (
      at + ending.length < end &&
      ending.every((c, i) => c === codes[at + 1 + i] || c - fold === codes[at + 1 + i])
    )
      return at + 1 + ending.length;
  return at;
}

/**
 * The end of a run of spaces. If a word follows, the last space belongs to the word.
 * @param {number} at
 * @param {number} end of the spaces
 * @param {number} all where the text ends
 */
const spaces = (at, end, all) => (end === all || end === at + 1 ? end : end - 1);

/** 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ @type {Stage} */
function gpt2(text, at, end) {
  const { codes, classes } = text;
  const short = contraction(text, at, end, 0);
  if (short > at) return short;
  const from = codes[at] === BLANK && at + 1 < end && !(classes[at + 1] & SPACE) ? at + 1 : at;
  const kind = classes[from];
  if (kind & LETTER) return run(classes, from, end, LETTER);
  if (kind & NUMBER) return run(classes, from, end, NUMBER);
  if (!(kind & SPACE)) return run(classes, from, end, WORD, true);
  return spaces(at, run(classes, at, end, SPACE), end);
}

/**
 * (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,digits}|
 * ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
 * @param {number} digits
 * @returns {Stage}
 */
const gpt4 = (digits) => (text, at, end) => {
  const { codes, classes } = text;
  const short = contraction(text, at, end, 32);
  const kind = classes[at];
  if (short > at) return short;
  if (kind & LETTER) return run(classes, at, end, LETTER);
  if (!(kind & (NEWLINE | NUMBER)) && at + 1 < end && classes[at + 1] & LETTER)
    return run(classes, at + 1, end, LETTER);
  if (kind & NUMBER) return run(classes, at, Math.min(end, at + digits), NUMBER);
  const from = codes[at] === BLANK && at + 1 < end ? at + 1 : at;
  if (!(classes[from] & WORD))
    return run(classes, run(classes, from, end, WORD, true), end, NEWLINE);
  const stop = run(classes, at, end, SPACE);
  for (let last = stop; last > at; last--) if (classes[last - 1] & NEWLINE) return last;
  return spaces(at, stop, end);
};

/** Runs of one class, and the text between them. @param {number} bits @returns {Stage} */
const runs =
  (bits) =>
  ({ classes }, at, end) =>
    run(classes, at, end, bits, !(classes[at] & bits));

/** \p{N} @type {Stage} */
const eachNumber = ({ classes }, at, end) =>
  classes[at] & NUMBER ? at + 1 : run(classes, at, end, NUMBER, true);

/** [0-9][0-9][0-9] @type {Stage} */
function threeDigits({ classes }, at, end) {
  const three = (/** @type {number} */ i) =>
    i + 3 <= end && classes[i] & classes[i + 1] & classes[i + 2] & DIGIT;
  if (three(at)) return at + 3;
  while (at < end && !three(at)) at++;
  return at;
}

/**
 * The ways, each a sequence of stages that cut further what the one before has cut.
 * @type {Record<string, Stage[]>}
 */
export const WAYS = {
  'gpt-2': [gpt2],
  'llama-bpe': [gpt4(3)],
  qwen2: [gpt4(1)],
  dbrx: [gpt4(3)],
  smollm: [eachNumber, gpt2],
  default: [runs(MARK), gpt2, runs(NUMBER), threeDigits],
};

/**
 * Names that `tokenizer.ggml.pre` has for them, as in llama-vocab.cpp. dbrx cuts like llama-bpe,
 * but whole words that are tokens are merged as well, and no mark is put before a text.
 * @type {Record<string, string>}
 */
export const NAMES = {
  'gpt-2': 'gpt-2',
  'phi-2': 'gpt-2',
  olmo: 'gpt-2',
  mpt: 'gpt-2',
  exaone4: 'gpt-2',
  'llama-bpe': 'llama-bpe',
  llama3: 'llama-bpe',
  'llama-v3': 'llama-bpe',
  falcon3: 'llama-bpe',
  'falcon-h1': 'llama-bpe',
  lfm2: 'llama-bpe',
  pixtral: 'llama-bpe',
  'midm-2.0': 'llama-bpe',
  dbrx: 'dbrx',
  'smaug-bpe': 'dbrx',
  qwen2: 'qwen2',
  'deepseek-r1-qwen': 'qwen2',
  smollm: 'smollm',
  starcoder: 'smollm',
  refact: 'smollm',
  'command-r': 'smollm',
  codeshell: 'smollm',
  default: 'default',
};

/** Characters that are scanned in one step. */
const STEP = 2 ** 16;

/**
 * @param {string} text well-formed
 * @returns {import('../../engine/yield.js').Steps<Scanned>}
 */
export function* scan(text) {
  const codes = new Uint32Array(text.length);
  const classes = new Uint8Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; length++) {
    const c = /** @type {number} */ (text.codePointAt(at));
    codes[length] = c;
    classes[length] = classOf(c);
    at += c > 0xffff ? 2 : 1;
    if (length % STEP === STEP - 1) yield 0;
  }
  return { text, length, codes, classes };
}

/**
 * The words of a text, from left to right.
 * @param {Scanned} scanned
 * @param {Stage[]} stages
 */
export function* words(scanned, stages) {
  const { text, length, codes } = scanned;
  // where the piece of each stage ends; stage s cuts the piece that ends at ends[s]
  const ends = [length, ...stages.map(() => 0)];
  // where the current word begins in `text`, which counts UTF-16 units
  let place = 0;
  for (let at = 0; at < length;) {
    for (const [s, stage] of stages.entries())
      if (ends[s + 1] <= at) ends[s + 1] = stage(scanned, at, ends[s]);
    const stop = ends[stages.length];
    let units = stop - at;
    for (; at < stop; at++) if (codes[at] > 0xffff) units++;
    yield text.slice(place, (place += units));
  }
}
