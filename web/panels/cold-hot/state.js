/** @param {import('../../page/state.js').Store} store */
export const state = (store) => ({
  T: store.number('coldT', 1, { min: 0, max: Infinity }),
});
