/** How strictly witnesses are told apart, and their reports. */
import { CIRCLE } from '../../math/example.js';

export const REPORTS = [-1.3, -2.1, 1.5, 0.3, -0.9, 2.2];

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  return {
    T: store.number('trustT', CIRCLE.T, { min: 0.1, max: 20 }),
    reports: store.numbers('trustV', REPORTS, { min: -4, max: 4, length: REPORTS.length }),
  };
}
