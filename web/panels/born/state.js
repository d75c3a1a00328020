/** @param {import('../../page/state.js').Store} store */
export const state = (store) => ({
  seed: store.number('bornSeed', 0, { min: 0, max: 2 ** 32 - 1, integer: true }),
});
