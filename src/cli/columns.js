/** Text as wide as a terminal shows it. */

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Scripts and forms that take two columns (Unicode, UAX 11), and emoji. */
const WIDE = new RegExp(
  '\\p{Emoji_Presentation}|\\ufe0f|' +
    '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Bopomofo}\\p{sc=Yi}' +
    '\\u3000-\\u303e\\u30fb\\u30fc\\uff01-\\uff60\\uffe0-\\uffe6]',
  'u',
);
/** Halfwidth Katakana and Hangul, which are of these scripts as well. */
const HALF = /^[\uff61-\uffdc]/;
/** Characters that take no column: marks above or below a letter, and formats. */
const EMPTY = /[\p{Mn}\p{Me}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** The columns of one letter with its marks. @param {string} letter */
function columnsOf(letter) {
  const shown = [...letter.replace(EMPTY, '')].length;
  return shown && WIDE.test(letter) && !HALF.test(letter) ? 2 : shown;
}

/** @param {string} text */
const split = (text) => Array.from(letters.segment(text), ({ segment }) => segment);

/** The columns of a text without control characters. @param {string} text */
export const widthOf = (text) => split(text).reduce((sum, letter) => sum + columnsOf(letter), 0);

/** With spaces behind it, up to this many columns. @param {string} text @param {number} width */
export const padded = (text, width) => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Cut off where it has more columns. @param {string} text @param {number} width */
export function shortened(text, width) {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const letter of split(text)) {
    used += columnsOf(letter);
    if (used > width) break;
    kept += letter;
  }
  return `${kept}…`;
}
