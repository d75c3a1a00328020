/** Functions that some engines lack: a clock, and a registry of objects that were dropped. */

/** Milliseconds; an audio worklet has no finer clock. */
export const now = () => (globalThis.performance ?? Date).now();

/**
 * Tells of objects that were dropped, where the engine can. Some (workerd with an older date of
 * compatibility) have no FinalizationRegistry.
 * @template T
 * @param {(kept: T) => void} release
 * @returns {Pick<FinalizationRegistry<T>, 'register' | 'unregister'>}
 */
export const registry = (release) =>
  typeof FinalizationRegistry === 'function'
    ? new FinalizationRegistry(release)
    : { register() {}, unregister: () => false };
