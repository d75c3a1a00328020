/** The temperature, and the point in the triangle: its shares of the first two keys. */

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  return {
    T: store.number('mixT', 1, { min: 0.05, max: 20 }),
    dot: store.numbers('mix', [0.55, 0.1], { min: 0, max: 1, length: 2 }),
  };
}
