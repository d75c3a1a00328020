/** The rows of one head over the story as a table. */
import { table } from '../../page/files.js';

/**
 * @param {import('./writing/story.js').Story | undefined} story
 * @param {import('./writing/story.js').Head} head
 */
export function rowsOf(story, head) {
  if (!story?.rows) throw new Error('the model is not there yet');
  /** @type {[number, number, string, string, number][]} */
  const rows = [];
  for (let i = 0; i < story.rows; i++)
    story
      .row(head, i)
      .forEach((weight, j) =>
        rows.push([i, j, story.tokens[i].text, story.tokens[j].text, weight]),
      );
  return table(['query', 'key', 'word of the query', 'word of the key', 'weight'], rows);
}
