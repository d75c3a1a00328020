/** Heads, sizes, masks, inputs, and the cell that is locked. */
import { fittingGroups } from './fitting.js';

const KINDS = /** @type {const} */ (['sqrt', 'linear', 'log', 'uniform', 'share', 'value']);

/** More of them are hard to tell apart. */
export const LIMIT = 16;

/**
 * The setting: queries in their order, each once.
 * @param {import('../../page/state.js').Store} store
 * @param {() => number} count of queries
 */
const keptQueries = (store, count) =>
  store.add('rows', /** @type {number[]} */ ([]), {
    parse: (text) => (/^\d{1,4}(_\d{1,4})*$/.test(text) ? text.split('_').map(Number) : undefined),
    format: (queries) => queries.join('_'),
    clamp: (queries) => {
      const there = queries.filter((i) => i < count());
      return [...new Set(there)].sort((a, b) => a - b).slice(0, LIMIT);
    },
    get range() {
      return `a list of up to ${LIMIT} whole numbers from 0 to ${count() - 1}, joined by _`;
    },
  });

/**
 * The setting: the checksum that came with a link, or ''.
 * @param {import('../../page/state.js').Store} store
 */
const bitsOfLink = (store) =>
  store.add('bits', '', {
    parse: (text) => (/^[0-9a-f]{8}$/.test(text) ? text : undefined),
    format: (text) => text,
    clamp: (text) => text,
    range: 'a checksum of eight digits, 0 to 9 and a to f',
  });

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  const H = store.number('H', 8, { min: 1, max: 32, integer: true });
  const n = store.number('n', 32, { min: 1, max: 256, integer: true });
  const G = store.number('G', 4, { min: 1, max: 32, integer: true });
  store.rule(() => {
    const fitting = fittingGroups(H.value, G.value);
    if (fitting === G.value) return undefined;
    const asked = G.value;
    G.set(fitting);
    return `${asked} key/value heads do not divide ${H.value} query heads, so G = ${fitting}`;
  });
  return {
    H,
    n,
    G,
    d: store.number('d', 64, { min: 1, max: 256, integer: true }),
    T: store.temperature('T', 1, { min: 1e-3, max: 1e3 }),
    causal: store.flag('c', true),
    reach: store.number('w', 256, { min: 0, max: 256, integer: true }),
    seed: store.number('seed', 7, { min: 0, max: 4294967295, integer: true }),
    kind: store.choice('src', 'patterns', ['patterns', 'normal']),
    colour: store.choice('x', 'sqrt', KINDS),
    poison: store.number('nan', -1, { min: -1, max: () => n.value - 1, integer: true }),
    head: store.number('h', 4, { min: 0, max: () => H.value - 1, integer: true }),
    at: store.numbers('at', [], { min: 0, max: () => n.value - 1, length: 2 }),
    kept: keptQueries(store, () => n.value),
    // after the others, as a change of them takes it away
    bits: bitsOfLink(store),
  };
}
