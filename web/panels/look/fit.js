/** A link may name a head that the model has not, or a word that is not written yet. */
import { addNotice } from '../../page/notice.js';

/**
 * Writes on until the word is there. Things that are missing are named.
 * @param {ReturnType<typeof import('./state.js').state>} state
 * @param {import('./writing/writer.js').Writer} writer
 * @param {import('./writing/story.js').Story} story
 */
export function fitLink({ head: pinned, at: locked }, writer, story) {
  const [layer, head] = pinned.value;
  if (!pinned.isDefault && !story.has({ layer, head })) {
    const name = `lookHead = ${pinned.text()}`;
    addNotice('link', `The model has no such head: ${name}. Another one is on show.`);
    pinned.set(pinned.initial);
  }
  const word = locked.value;
  if (word < story.rows) return;
  if (writer.phase === 'paused') {
    writer.owed = word + 1 - story.tokens.length;
    writer.go();
  } else if (writer.phase === 'over') {
    addNotice('link', `The story has no such word: lookAt = ${word}. No word is locked.`);
    locked.set(-1);
  }
}
