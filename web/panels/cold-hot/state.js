/** @param {import('../../page/state.js').Store} store */
export const state = (store) => ({
  T: store.number('coldT', 0.8, { min: 0, max: Infinity }),
});
