/** The number of words that are attended to, and the span of one pass that is on show. */

/** Spans of the row of the fused pass. */
export const STEPS = 4;

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  return {
    n: store.choice('sn', '512', ['128', '512', '1024']),
    step: store.number('fusedStep', 1, { min: 1, max: STEPS, integer: true }),
  };
}
