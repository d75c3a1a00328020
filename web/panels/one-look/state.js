/** The temperature, and the directions of the query and its keys, in degrees. */
import { turned } from '../../page/signal.js';

export const COLDEST = 0.05;
export const HOTTEST = 20;
const KEYS = [12, 58, 100, 165, 235, 310];

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  const angle = { min: 0, max: 360, wrap: turned };
  return {
    T: store.temperature('heroT', 0.22, { min: COLDEST, max: HOTTEST }),
    q: store.numbers('heroQ', [38], { ...angle, length: 1 }),
    k: store.numbers('heroK', KEYS, { ...angle, length: KEYS.length }),
  };
}
