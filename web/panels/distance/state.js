/** Temperature, seed, switches, the number format of the maps, and the key that is explained. */

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  return {
    T: store.number('kT', 0.05, { min: 5e-4, max: 1e3 }),
    seed: store.number('kseed', 7, { min: 0, max: 4294967295, integer: true }),
    unitQueries: store.flag('nq', true),
    unitKeys: store.flag('nk', true),
    restore: store.flag('rk', false),
    bare: store.flag('bare', false),
    precision: store.choice('e', 'float64', ['float64', 'float32']),
    /** A key of the look that is taken apart; −1: the one that gets most. */
    whyKey: store.number('whyKey', -1, { min: -1, max: 9999, integer: true }),
    whyOrder: store.choice('whyOrder', 'size', ['size', 'channel']),
  };
}
