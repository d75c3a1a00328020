/** How strictly witnesses are told apart, and their reports. */

export const REPORTS = [-2.1, 1.5, 0.3, -0.9, 2.2];

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  return {
    T: store.number('trustT', 0.7, { min: 0.1, max: 20 }),
    reports: store.numbers('trustV', REPORTS, { min: -4, max: 4, length: REPORTS.length }),
  };
}
