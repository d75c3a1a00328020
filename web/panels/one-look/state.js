/** The temperature, and the directions of the query and its keys, in degrees. */
import { CIRCLE } from '../../math/example.js';
import { turned } from '../../page/signal.js';

export const COLDEST = 0.05;
export const HOTTEST = 20;

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  const angle = { min: 0, max: 360, wrap: turned };
  return {
    T: store.temperature('heroT', CIRCLE.T, { min: COLDEST, max: HOTTEST }),
    q: store.numbers('heroQ', [CIRCLE.query], { ...angle, length: 1 }),
    k: store.numbers('heroK', CIRCLE.keys, { ...angle, length: CIRCLE.keys.length }),
  };
}
