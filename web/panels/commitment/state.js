/** The budget, as a share of all that the row could spend. */

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  return { share: store.number('budget', 0.4, { min: 0, max: 1 }) };
}
