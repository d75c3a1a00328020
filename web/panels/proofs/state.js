/** The seed of the random inputs on the sheet. */

/** @param {import('../../page/state.js').Store} store */
export const state = (store) => ({
  seed: store.number('proofSeed', 1, { min: 0, max: 2 ** 32 - 1, integer: true }),
});
