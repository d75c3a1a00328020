/**
 * Are the marks on the screen those of the rows? Plain sums over the weights, which share no code
 * with the drawing and none with the kernels.
 */

/** @typedef {{ layer: number, head: number }} Head */
/**
 * @typedef {object} Drawn the marks as they stand on the screen
 * @property {readonly string[]} shades of the words; '' where a word has none
 * @property {string} share in the sentence; '' where it has none
 * @property {readonly { value: number, colour: readonly number[] }[]} squares a head each: its
 *   number, and red, green and blue, or nothing
 * @property {string} count the sentence that counts sharp heads
 * @property {readonly Uint8ClampedArray[]} lines a head each: the pixels of its map at this row
 *   (r, g, b, a)
 *
 * @typedef {object} Rows the truth
 * @property {(head: Head, i: number) => ArrayLike<number>} row weights of a head, i + 1 of them
 * @property {number} rows that are known
 * @property {readonly Head[]} heads all of them
 * @property {Head} head the chosen one
 * @property {number} i the word that looks
 * @property {boolean} rest whether the first word is left out
 * @property {number} side of a map in words @property {number} pixels along this side
 * @property {ArrayLike<number>} colours 256 of the ramp, r g b each
 */

/** A word with less has no shade. */
const FAINT = 0.002;
/** A shade has three decimals. */
const DIGITS = 0.0005;
/** Of a share that is a whole number of per cent, or “< 1 %” or “> 99 %”. */
const PERCENT = 0.005;
/** Rounding of float64 in these sums. */
const TINY = 2 ** -40;
/** Rounding of float32, in which the kernels compute. */
const U = 2 ** -24;

/** Weights without that of the first word, made to add up to 1. @param {ArrayLike<number>} row */
export function restOf(row) {
  let sum = 0;
  for (let j = 1; j < row.length; j++) sum += row[j];
  return Array.from(row, (p, j) => (j === 0 ? 0 : p / sum));
}

/**
 * How sharply a row looks: the part of log n that its entropy H leaves, and its allowance. A weight
 * in float32 is wrong by u·(n + 32) of itself, which moves H by at most that times 1 + H.
 * @param {ArrayLike<number>} row @param {boolean} rest whether the first word is left out
 */
export function sharpnessOf(row, rest) {
  const keys = Array.from(row).slice(rest ? 1 : 0);
  const n = keys.length;
  const sum = keys.reduce((a, b) => a + b, 0);
  let entropy = 0;
  for (const p of keys) if (p > 0) entropy -= (p / sum) * Math.log(p / sum);
  if (n < 2 || !(sum > 0)) return { value: NaN, allowed: 0 };
  const log = Math.log(n);
  return { value: 1 - entropy / log, allowed: (U * (n + 32) * (1 + entropy)) / log + 4 * U };
}

/**
 * The largest weight behind each pixel of a line of a map; −1 where there is none.
 * @param {(i: number) => ArrayLike<number>} row @param {number} i a word of the line
 * @param {Pick<Rows, 'rows' | 'side' | 'pixels'>} map
 */
export function lineOf(row, i, { rows, side, pixels }) {
  const pixelOf = (/** @type {number} */ word) => Math.floor((word * pixels) / side);
  const line = new Array(pixels).fill(-1);
  for (let other = 0; other < rows; other++)
    if (pixelOf(other) === pixelOf(i))
      Array.from(row(other)).forEach((p, j) => {
        line[pixelOf(j)] = Math.max(line[pixelOf(j)], p);
      });
  return line;
}

/** @param {number} a @param {number} b @param {number} allowed */
const near = (a, b, allowed) => Math.abs(a - b) <= allowed || (Number.isNaN(a) && Number.isNaN(b));

/**
 * Whether a colour is that of a place on the ramp, or one step beside it.
 * @param {ArrayLike<number>} colour @param {number} place 0 … 1 @param {ArrayLike<number>} ramp
 */
function isColour(colour, place, ramp) {
  const step = Math.round(255 * Math.min(1, Math.max(0, place)));
  const is = (/** @type {number} */ each) =>
    [0, 1, 2].every((c) => Math.abs(ramp[3 * each + c] - colour[c]) <= 1);
  return is(step) || is(step - 1) || is(step + 1);
}

/** @param {string} text a share in per cent @param {number} p */
function isShare(text, p) {
  if (text === '') return Number.isNaN(p);
  const told = Number(/\d+/.exec(text)?.[0]) / 100;
  return near(told, p, (/^[<>]/.test(text) ? 2 * PERCENT : PERCENT) + TINY);
}

/** @param {string} text of the count @param {number} all heads */
const toldCount = (text, all) =>
  /^All/.test(text) ? all : /^None/.test(text) ? 0 : Number(/^\d+/.exec(text)?.[0]);

/** Counts marks, and those that are wrong. */
class Count {
  constructor() {
    this.marks = 0;
    this.wrong = 0;
    /** The name of the first wrong one. */
    this.first = '';
  }

  /** @param {boolean} right @param {() => string} name made only where it is wrong */
  note(right, name) {
    this.marks++;
    if (right) return;
    this.wrong++;
    this.first ||= name();
  }
}

/**
 * The pixels of one line of a map, against the weights behind them.
 * @param {Uint8ClampedArray} pixels four bytes each
 * @param {readonly number[]} line from lineOf
 * @param {ArrayLike<number>} ramp
 * @param {(right: boolean, x: number) => void} note
 */
function compareLine(pixels, line, ramp, note) {
  line.forEach((p, x) => {
    if (Number.isNaN(p)) return;
    const pixel = pixels.subarray(4 * x, 4 * x + 4);
    note(p < 0 ? pixel[3] === 0 : pixel[3] === 255 && isColour(pixel, Math.sqrt(p), ramp), x);
  });
}

/**
 * Compares the marks of the text, then those of each head, in parts.
 * @param {Drawn} drawn @param {Rows} truth
 * @returns {Generator<void, Count, void>}
 */
export function* compareDrawn(drawn, truth) {
  const { row, heads, head, i, rest, colours } = truth;
  const found = new Count();
  const own = row(head, i);
  const first = rest && i > 0 ? 1 : 0;
  const weights = first ? restOf(own) : Array.from(own);
  drawn.shades.forEach((shade, j) => {
    const p = j <= i ? weights[j] : 0;
    const right = shade ? near(Number(shade), Math.sqrt(p), DIGITS + TINY) : !(p > FAINT + TINY);
    found.note(right, () => `word ${j}`);
  });
  found.note(isShare(drawn.share, Math.max(...weights.slice(first))), () => 'the share');

  /** The sharp heads, with the allowance of each for it and against it. */
  let [fewest, largest] = [0, 0];
  for (const [h, each] of heads.entries()) {
    yield;
    const { value, allowed } = sharpnessOf(row(each, i), rest);
    if (value - allowed > 0.5) fewest++;
    if (value + allowed > 0.5) largest++;
    const { value: told, colour } = drawn.squares[h];
    const right = Number.isNaN(value)
      ? Number.isNaN(told) && !colour.length
      : near(told, Math.max(0, value), allowed) && isColour(colour, value, colours);
    found.note(right, () => `the square of head ${each.layer}.${each.head}`);
    const line = lineOf((other) => row(each, other), i, truth);
    compareLine(drawn.lines[h], line, colours, (right, x) =>
      found.note(right, () => `pixel ${x} of head ${each.layer}.${each.head}`),
    );
  }
  const count = toldCount(drawn.count, heads.length);
  found.note(count >= fewest && count <= largest, () => 'the count');
  return found;
}
