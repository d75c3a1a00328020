/** The budget, as a share of all that the row could spend. */
import { CIRCLE } from '../../math/example.js';

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  return { share: store.number('budget', CIRCLE.budget, { min: 0, max: 1 }) };
}
