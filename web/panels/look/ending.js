/** The look that is on show at the end of a story. */
import { hasLetters, wholeWord } from './words.js';

/** @typedef {import('./writing/story.js').Story} Story */
/** @typedef {import('./writing/story.js').Head} Head */

/**
 * From the token before the last word, the head that puts most on the same word further up, at its
 * first piece. None, unless this is more than half.
 * @param {Story} story
 * @returns {{ head: Head, i: number } | undefined}
 */
export function lookAtSameWord(story) {
  const { tokens, rows } = story;
  let last = tokens.length - 1;
  while (last > 0 && !hasLetters(story, last)) last--;
  const [from, to] = wholeWord(story, last);
  const i = from - 1;
  if (i < 1 || i >= rows) return undefined;
  const word = tokens.slice(from, to);
  /** @param {number} j whether the same word begins there */
  const isSame = (j) =>
    wholeWord(story, j)[1] === j + word.length &&
    word.every(({ text }, piece) => tokens[j + piece].text === text);
  const places = Array.from({ length: i }, (_, j) => j).filter((j) => j > 0 && isSame(j));
  let largest = 0.5;
  let best;
  for (const head of story.all()) {
    const row = story.row(head, i);
    for (const j of places)
      if (row[j] > largest) {
        largest = row[j];
        best = { head, i };
      }
  }
  return best;
}
