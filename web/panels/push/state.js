/** The temperature of the rows that are pushed. */

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  return { T: store.number('pushT', 1, { min: 0.1, max: 10 }) };
}
