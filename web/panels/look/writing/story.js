/**
 * A text that a model reads and writes, with every row of every head. Row i is the one that attends
 * from token i, to choose token i + 1. All memory is allocated at once, for `capacity` tokens.
 */
import { bitsOf } from './bits.js';

/**
 * @typedef {object} Shape
 * @property {number} layers
 * @property {number} heads
 * @property {number} kvHeads
 *
 * @typedef {{ layer: number, head: number }} Head
 * @typedef {{ id: number, text: string }} Token
 */

export class Story {
  /** @param {Shape} shape @param {number} capacity tokens */
  constructor({ layers, heads, kvHeads }, capacity) {
    this.layers = layers;
    this.heads = heads;
    this.kvHeads = kvHeads;
    this.capacity = capacity;
    /** @type {Token[]} */
    this.tokens = [];
    /** Rows that are known; the last token of a text that is being written has none yet. */
    this.rows = 0;
    const count = layers * heads;
    /** Per head a triangle: row i begins at i(i + 1)/2. */
    this.triangle = (capacity * (capacity + 1)) / 2;
    this.weights = new Float32Array(count * this.triangle);
    /** ρ in nats, per head and row. */
    this.rho = new Float32Array(count * capacity);
    /** The surprise of each token, in bits; NaN where nothing came before it. */
    this.bits = new Float64Array(capacity).fill(NaN);
  }

  clear() {
    this.tokens = [];
    this.rows = 0;
    this.bits.fill(NaN);
  }

  get full() {
    return this.tokens.length >= this.capacity;
  }

  /** @param {Token} token @param {Float32Array} [logits] that it was chosen by */
  add(token, logits) {
    this.tokens.push(token);
    if (logits) this.bits[this.tokens.length - 1] = bitsOf(logits, token.id);
  }

  /**
   * Keeps the rows that attend from token i, and how surprising the next token is to the model.
   * @param {number} i
   * @param {import('../../../../src/js/model/api.d.ts').HeadStats} stats of one token, with weights
   * @param {Float32Array} [logits] behind it
   */
  record(i, stats, logits) {
    const next = this.tokens[i + 1];
    if (next && logits) this.bits[i + 1] = bitsOf(logits, next.id);
    for (const { layer, head, weights } of stats.weights ?? []) {
      const at = layer * this.heads + head;
      this.weights.set(weights, at * this.triangle + (i * (i + 1)) / 2);
    }
    const count = this.layers * this.heads;
    for (let at = 0; at < count; at++) this.rho[at * this.capacity + i] = stats.kl[at];
    this.rows = Math.max(this.rows, i + 1);
  }

  /** The weights from token i on tokens 0 … i. @param {Head} head @param {number} i */
  row({ layer, head }, i) {
    const from = (layer * this.heads + head) * this.triangle + (i * (i + 1)) / 2;
    return this.weights.subarray(from, from + i + 1);
  }

  /**
   * The same; with `rest` the first token is left out, and the others add up to 1.
   * @param {Head} head @param {number} i @param {boolean} rest
   * @returns {ArrayLike<number>}
   */
  shown(head, i, rest) {
    const row = this.row(head, i);
    return rest && i > 0 ? [0, ...withoutFirst(row)] : row;
  }

  /**
   * How sharply a head looks from token i: ρ/log n, from 0 (at all tokens alike) to 1 (at one).
   * With `rest` the first token, which takes the attention that finds nothing, is left out and the
   * others are made to add up to 1. NaN where there is nothing to choose among.
   * @param {Head} head @param {number} i @param {boolean} rest
   */
  sharpness({ layer, head }, i, rest) {
    if (rest) return rowSharpness(withoutFirst(this.row({ layer, head }, i)));
    const rho = this.rho[(layer * this.heads + head) * this.capacity + i];
    return i === 0 ? NaN : Math.min(1, Math.max(0, rho / Math.log(i + 1)));
  }

  /** @param {Head} head */
  has({ layer, head }) {
    return layer >= 0 && layer < this.layers && head >= 0 && head < this.heads;
  }

  /** All heads, layer by layer. @returns {Head[]} */
  all() {
    return Array.from({ length: this.layers * this.heads }, (_, at) => ({
      layer: Math.floor(at / this.heads),
      head: at % this.heads,
    }));
  }

  /** The text of tokens, joined. */
  get text() {
    return this.tokens.map(({ text }) => text).join('');
  }
}

/**
 * The row of the other tokens, made to add up to 1. Where the first token has everything, nothing
 * is left to share out: NaN.
 * @param {ArrayLike<number>} row
 */
export function withoutFirst(row) {
  const rest = Array.from(row).slice(1);
  const sum = rest.reduce((total, p) => total + p, 0);
  return rest.map((p) => p / sum);
}

/** (log n − H)/log n of a row that adds up to 1. @param {ArrayLike<number>} row */
function rowSharpness(row) {
  const n = row.length;
  if (n < 2) return NaN;
  let entropy = 0;
  for (let j = 0; j < n; j++) if (row[j] !== 0) entropy -= row[j] * Math.log(row[j]);
  return Math.min(1, Math.max(0, 1 - entropy / Math.log(n)));
}

/**
 * The head and the row with the largest weight between two words of a text that are not neighbours.
 * The first token, parts of words and punctuation do not count. A pronoun that mostly looks at a
 * name tells more than any other two words.
 * @param {Story} story
 * @returns {{ head: Head, i: number }}
 */
export function mostTelling(story) {
  const { tokens } = story;
  let best = { head: { layer: 0, head: 0 }, i: Math.max(0, story.rows - 1) };
  let largest = 0;
  for (const head of story.all())
    for (let i = 0; i < story.rows; i++) {
      if (!isWord(tokens[i].text)) continue;
      const row = story.row(head, i);
      const fromPronoun = PRONOUN.test(tokens[i].text);
      for (let j = 1; j < i - 2; j++) {
        if (!isWord(tokens[j].text)) continue;
        const toName = fromPronoun && NAME.test(tokens[j].text) && row[j] > 0.5;
        const telling = row[j] + (toName ? 1 : 0);
        if (telling > largest) {
          largest = telling;
          best = { head, i };
        }
      }
    }
  return best;
}

const PRONOUN = /^ (he|she|it|they|him|her|them)$/;
const NAME = /^ \p{Lu}/u;

/** Whether a piece begins a word of at least two letters. @param {string} text */
const isWord = (text) => /^ \p{L}{2}/u.test(text);
