/** The sequence on show. Tokens have no meaning, so they are letters. */
import { CONFIG, OPTIONS, THRESHOLD, unseen } from '../../../training/induction/recipe.js';
import { headName } from '../../../src/js/model/inside/head-name.js';
import { html } from '../../plot/dom.js';
import { percent } from '../../plot/format.js';
import { Story } from '../look/writing/story.js';
import { LEAD } from './leader.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef';
export const LENGTH = OPTIONS.context;
/** The first letter of the second time. */
export const AGAIN = LENGTH / 2;
/** Lists over which scores are means. The first one is on show. */
export const LISTS = OPTIONS.batch;

export function storyOfLetters() {
  const { layers, heads } = CONFIG;
  const story = new Story({ layers, heads, kvHeads: heads }, LENGTH);
  for (const id of unseen().tokens.subarray(0, LENGTH)) story.add({ id, text: `${LETTERS[id]} ` });
  return story;
}

/** A head of all layers, by its number. @param {number} at */
export const headAt = (at) => ({
  layer: Math.floor(at / CONFIG.heads),
  head: at % CONFIG.heads,
});

/**
 * The look of a head at a letter, in a sentence.
 * @param {Story} story
 * @param {import('../look/writing/story.js').Head} head
 * @param {ArrayLike<number>} row its weights @param {number} i the letter
 */
export function sentence(story, head, row, i) {
  const ids = story.tokens.map(({ id }) => id);
  const name = `head ${headName(head)}`;
  const letter = LETTERS[ids[i]];
  const from = ids.indexOf(ids[i]);
  if (from === i) return [`‘${letter}’ comes for the first time, so ${name} has nothing to find.`];
  const next = LETTERS[ids[from + 1]];
  const share = html('strong', { 'data-value': row[from + 1] }, percent(row[from + 1]));
  return [
    `‘${letter}’ comes again. The last time ‘${next}’ followed, and ${name} puts `,
    share,
    ' there.',
  ];
}

/**
 * The mean beside the one look, and why this head is named.
 * @param {number} at a head @param {number} score its mean
 * @param {ReturnType<typeof import('./leader.js').leaderOf>} [leader] unless the reader chose it
 */
export function meanInWords(at, score, leader) {
  const name = headName(headAt(at));
  const born = score >= THRESHOLD ? ' So it is an induction head.' : '';
  const { before = -1, since = 0 } = leader ?? {};
  const instead = since
    ? ` Since step ${since} it leads instead of head ${headName(headAt(before))}: its mean was ` +
      `${Math.round(100 * LEAD)} percentage points higher or more.`
    : '';
  return (
    `That is one letter of one list. Head ${name} puts ${percent(score)} on the letter that ` +
    `followed, as a mean over all letters that come again in ${LISTS} lists.${born}${instead}`
  );
}
