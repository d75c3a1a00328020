/**
 * Hashes of the stories, the tokenizer and the first batches. It imports nothing that only some
 * engines have, so it runs in browsers too.
 */
import { batchOf } from '../../../training/stories/tokens/stream.js';
import { learnTokenizer, openTokenizer } from '../../../training/stories/tokens/tokenizer.js';
import { tellStory } from '../../../training/stories/world/index.js';

/** @param {BufferSource} bytes */
async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
const hashOfText = (text) => sha256(new TextEncoder().encode(text));

const KINDS = [
  'stories',
  'answers',
  'again',
  'exercises',
  'exercise answers',
  'pronouns',
  'repeats',
];

/** All of seed 1. */
export async function hashes() {
  const stories = Array.from({ length: 1000 }, (_, index) => JSON.stringify(tellStory(1, index)));
  const file = learnTokenizer();
  const options = { tokenizer: openTokenizer(file), seed: 1, batch: 8, context: 512, kinds: KINDS };
  const batches = KINDS.map((_, step) => batchOf(options, step));
  const ids = batches.flatMap(({ tokens, targets }) => [...tokens, ...targets]);
  return {
    stories: await hashOfText(stories.join('\n')),
    tokenizer: await hashOfText(JSON.stringify(file)),
    batches: await hashOfText(ids.join(' ')),
  };
}
