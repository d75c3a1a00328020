/** The sentences of the look. Their numbers are rounded, and `data-value` has all digits. */
import { headName } from '../../../src/js/model/inside/head-name.js';
import { percent } from '../../plot/format.js';

/** @typedef {import('./writing/story.js').Story} Story */
/** @typedef {import('./writing/story.js').Head} Head */

/** A token as it stands in a sentence. @param {Story} story @param {number} j */
export function tokenName(story, j) {
  const text = story.tokens[j].text.trim();
  if (text) return `‘${text}’`;
  if (j === 0) return 'the start';
  return /\n/.test(story.tokens[j].text) ? 'a new line' : 'a space';
}

/** Whether token j goes on with the word of the token before it. @param {Story} story */
function continues({ tokens }, /** @type {number} */ j) {
  return j > 0 && /^\S/.test(tokens[j].text) && /\S$/.test(tokens[j - 1].text);
}

/** Letters, with the marks on them. @param {Story} story @param {number} j */
const isLetters = ({ tokens }, j) => /^\s*[\p{L}\p{M}]+$/u.test(tokens[j]?.text ?? '');

/** A letter or a digit is in it. @param {Story} story @param {number} j */
export const hasLetters = ({ tokens }, j) => /[\p{L}\p{N}]/u.test(tokens[j].text);

/**
 * Letters, or an apostrophe between letters, as in “didn’t”. The newest token may become one.
 * @param {Story} story @param {number} j
 */
function isPiece(story, j) {
  if (isLetters(story, j)) return true;
  const { tokens } = story;
  if (!/^['’]$/.test(tokens[j]?.text ?? '') || !isLetters(story, j - 1)) return false;
  const goesOn = j + 1 === tokens.length || (isLetters(story, j + 1) && continues(story, j + 1));
  return continues(story, j) && goesOn;
}

/** Whether tokens j − 1 and j are pieces of one word. @param {Story} story @param {number} j */
const joins = (story, j) => isPiece(story, j - 1) && isPiece(story, j) && continues(story, j);

/**
 * The pieces of the word that token j is in: the first of them, and the token after the last.
 * @param {Story} story @param {number} j
 */
export function wholeWord(story, j) {
  let [from, to] = [j, j + 1];
  while (joins(story, from)) from--;
  while (joins(story, to)) to++;
  return [from, to];
}

/**
 * A token in a sentence, with its whole word where it is only a piece: “‘en’ in ‘Ben’”.
 * @param {Story} story @param {number} j
 */
export function pieceName(story, j) {
  const [from, to] = wholeWord(story, j);
  if (to - from === 1) return tokenName(story, j);
  const word = story.tokens.slice(from, to).map(({ text }) => text);
  return `${tokenName(story, j)} in ‘${word.join('').trim()}’`;
}

/** Pieces of a word are read up to this many: some scripts have no spaces, and code few letters. */
const PIECES = 8;

/**
 * The last piece of the newest word that is whole, as another word or a mark has begun. The newest
 * token, where no such word is near.
 * @param {Story} story
 */
export function newestWord(story) {
  const last = story.rows - 1;
  for (let j = last - 1; j > 0 && j >= last - PIECES; j--)
    if (isLetters(story, j) && !joins(story, j + 1)) return j;
  return last;
}

/**
 * Where token j lies, seen from token i. Pieces of one word and its punctuation count once.
 * @param {Story} story @param {number} i @param {number} j
 */
export function distance(story, i, j) {
  let words = 0;
  for (let at = j + 1; at <= i; at++) if (!continues(story, at)) words++;
  if (i - j === 1) return 'just before';
  if (!words && !isLetters(story, i)) return 'in the word before';
  if (!words) return isPiece(story, j) ? 'in the same word' : 'just before the word';
  return words === 1 ? 'one word back' : `${words} words back`;
}

/**
 * A token as the space before it and the word, so that only the word is shaded.
 * @param {string} text
 */
export function spaced(text) {
  const [space] = /^\s*(?=\S)/.exec(text) ?? [''];
  return { space, word: text.slice(space.length) };
}

/**
 * The largest weight of a row, and its place in the text.
 * @param {Story} story @param {Head} head @param {number} i
 * @param {boolean} rest whether the first token is left out
 */
export function largest(story, head, i, rest) {
  const row = story.shown(head, i, rest);
  let best = rest && i > 0 ? 1 : 0;
  for (let j = best + 1; j < row.length; j++) if (row[j] > row[best]) best = j;
  return { j: best, weight: row[best] };
}

/**
 * The live sentence, in parts: text, or a number with its value.
 * @param {Story} story @param {Head} head @param {number} i @param {boolean} rest
 * @returns {(string | { strong: string, value?: number })[]}
 */
export function sentence(story, head, i, rest) {
  const { j, weight } = largest(story, head, i, rest);
  const at = ['At ', { strong: pieceName(story, i) }, `, head ${headName(head)} `];
  if (Number.isNaN(weight)) return [...at, 'looks at nothing but the start.'];
  const read = Array.from(story.shown(head, i, rest)).slice(rest && i > 0 ? 1 : 0);
  if (read.length > 1 && read.every((each) => each === weight)) {
    const n = read.length;
    const share = { strong: percent(weight), value: weight };
    // 3 times 33 % is less than all
    const rounded = n < 100 && 100 % n ? 'about ' : '';
    return [...at, `puts the same share, ${rounded}`, share, `, on each of ${n} words and pieces.`];
  }
  const place = i === j || j === 0 ? '' : `, ${distance(story, i, j)}`;
  const target = i === j ? 'itself' : pieceName(story, j);
  return [
    ...at,
    'puts ',
    { strong: percent(weight), value: weight },
    ' on ',
    { strong: target },
    `${place}.`,
  ];
}

/**
 * How many heads look sharply: ρ/log n above a half.
 * @param {Story} story @param {number} i @param {boolean} rest
 */
export const sharpHeads = (story, i, rest) =>
  story.all().filter((head) => story.sharpness(head, i, rest) > 0.5).length;

/**
 * How many heads look sharply, in a sentence.
 * @param {Story} story @param {number} i @param {boolean} rest
 */
export function countOfSharp(story, i, rest) {
  const all = story.layers * story.heads;
  const sharp = sharpHeads(story, i, rest);
  if (!sharp) return `None of the ${all} heads looks sharply here: each looks at many words.`;
  if (sharp === all) return `All ${all} heads look sharply here: each picks few words.`;
  const [look, they] = sharp === 1 ? ['looks', 'it picks'] : ['look', 'they pick'];
  return `${sharp} of ${all} heads ${look} sharply here: ${they} a few words.`;
}

/**
 * A head and its measure, for assistive technology.
 * @param {Story} story @param {Head} head @param {number} i @param {boolean} rest
 */
export function nameWithSharpness(story, head, i, rest) {
  const sharp = story.sharpness(head, i, rest);
  const name = headName(head, 'long');
  return Number.isNaN(sharp) ? name : `${name}: ${percent(sharp)} sharp`;
}

/** The meaning of the squares. @param {Story} story */
export const aboutHeads = ({ layers, heads, kvHeads }) =>
  `This model has ${layers * heads} heads: ${layers} layers of ${heads}. ` +
  'Each is a square, and its rows show, word by word, where it looked. ' +
  (kvHeads < heads
    ? 'Squares under one line share one view of the words, and ask different questions. '
    : '') +
  `The framed one is on show. Head ${layers - 1}.${heads - 1} is head ${heads - 1} of layer ` +
  `${layers - 1}, both counted from 0.`;

/** The ends of the scale of the board. */
export const SHARP = { none: 'all words alike', all: 'one word' };

/** The words above the story. On a phone those about looks are below the board. */
export const HINT = {
  hover: 'Point at another word, and click to hold it.',
  touch: 'Touch another word, or a piece of one.',
  looks: 'All looks from the framed word together lead to the word after it.',
  start: 'Heads work in layers: head 4.6 is head 6 of layer 4, both counted from 0.',
};

/** @param {readonly (string | { strong: string })[]} parts */
export const plain = (parts) =>
  parts.map((part) => (typeof part === 'string' ? part : part.strong)).join('');
