/** The settings of the look. */

/** The longest prompt a link may carry, in characters. */
export const LONGEST = 200;
export const PROMPT = 'Once Ben and Ella had a cat called Pickle, and she took things.';

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  return {
    // first, as another prompt releases the word that a link may lock
    prompt: store.add('lookPrompt', PROMPT, {
      parse: (text) => text,
      format: (text) => text,
      clamp: (text) => text.slice(0, LONGEST) || PROMPT,
      range: `a text of 1 to ${LONGEST} characters`,
    }),
    T: store.number('lookT', 1, { min: 0, max: Infinity }),
    tau: store.number('lookTau', 0, { min: 0, max: 2 }),
    seed: store.number('lookSeed', 1, { min: 0, max: 2 ** 32 - 1, integer: true }),
    rest: store.flag('lookRest', false),
    /** Whether words are underlined by their surprise. */
    bits: store.flag('lookBits', false),
    /** A layer and a head; −1: those of the first frame. */
    head: store.numbers('lookHead', [-1, -1], { min: -1, max: 999, length: 2 }),
    /** The word that is locked; −1: none. */
    at: store.number('lookAt', -1, { min: -1, max: 9999, integer: true }),
  };
}
