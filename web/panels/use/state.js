/** Which code is on show. */

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  return { kind: store.choice('code', 'here', ['here', 'model', 'terminal']) };
}
