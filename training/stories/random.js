/**
 * Seeded integers. Only 32-bit integer arithmetic, so that every engine draws the same ones
 * (mulberry32, Tommy Ettinger 2017).
 */

/** Mixes numbers into one seed. @param {number[]} parts @returns {number} */
export function mixed(...parts) {
  let hash = 0x811c9dc5;
  for (const part of parts) {
    hash = Math.imul(hash ^ part, 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash ^= hash >>> 13;
  }
  return hash >>> 0;
}

/** @typedef {ReturnType<typeof createRandom>} Random */

/** @param {number} seed a 32-bit integer */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  /** An integer from 0 to count − 1. @param {number} count */
  const below = (count) => next() % count;
  /** A shuffled copy (Fisher–Yates). @template T @param {readonly T[]} list @returns {T[]} */
  function shuffled(list) {
    const copy = [...list];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = below(i + 1);
      [copy[i], copy[j]] = [copy[j], copy[i]];
    }
    return copy;
  }
  return {
    below,
    shuffled,
    /** @template T @param {readonly T[]} list @returns {T} */
    pick: (list) => list[below(list.length)],
    /** True in `part` of `whole` cases. @param {number} part @param {number} whole */
    chance: (part, whole) => below(whole) < part,
    /**
     * At most `count` of a list, in its order.
     * @template T
     * @param {readonly T[]} list
     * @param {number} count
     */
    some(list, count) {
      const chosen = new Set(shuffled([...list.keys()]).slice(0, count));
      return list.filter((_, i) => chosen.has(i));
    },
  };
}
