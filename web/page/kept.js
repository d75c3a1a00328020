/**
 * Calls `start` when it is asked for, and keeps what it promised. A failure is not kept: the next
 * call may have a network.
 * @template T
 * @param {() => Promise<T>} start
 * @returns {() => Promise<T>}
 */
export function kept(start) {
  /** @type {Promise<T> | undefined} */
  let promise;
  return () =>
    (promise ??= start().catch((error) => {
      promise = undefined;
      throw error;
    }));
}
