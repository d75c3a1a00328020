/** The temperature, and the point in the triangle: its shares of the first two keys. */
import { CIRCLE } from '../../math/example.js';

/** The page writes shares with three digits. */
const ROUNDING = 0.001 + 1e-9;

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  const dot = store.numbers('mix', [0.55, 0.1], { min: 0, max: 1, length: 2 });
  store.rule(() => {
    const [a, b] = dot.value;
    if (a + b <= 1 + ROUNDING) return undefined;
    dot.set([a, b].map((share) => Math.floor((1000 * share) / (a + b)) / 1000));
    return `the shares of mix = ${a}_${b} are more than 1 together, so it is ${dot.text()}`;
  });
  return { T: store.number('mixT', CIRCLE.T, { min: 0.05, max: 20 }), dot };
}
