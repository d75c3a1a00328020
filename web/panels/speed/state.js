/** The number of words that are attended to. */

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  return { n: store.choice('sn', '512', ['128', '512', '1024']) };
}
