/** How far a head goes from its own keys to the shared ones. */

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  return {
    part: store.number('share', 0.25, { min: 0, max: 1 }),
    seed: store.number('shareSeed', 7, { min: 0, max: 4294967295, integer: true }),
  };
}
