/**
 * Threads of an engine in a host. The page starts them (page-threads.js). It also passes on all
 * messages between the two.
 *
 *   { thread, start }           to the page: start a thread of this number, with its first message
 *   { thread }                  to the page: end it
 *   { thread, event, value }    to the host: a message of the thread, or why it is lost
 */

/** Listeners of each thread. @type {Map<number, Map<string, (value: unknown) => void>>} */
const threads = new Map();
let last = 0;

/**
 * The option `worker` of init. Its workers are like those of Node.
 * @param {(message: unknown) => void} post
 * @returns {() => object}
 */
export const threadsOfPage = (post) => () => {
  const thread = (last += 1);
  const listeners = new Map();
  threads.set(thread, listeners);
  return {
    on: (/** @type {string} */ event, /** @type {(value: unknown) => void} */ f) =>
      void listeners.set(event, f),
    postMessage: (/** @type {object} */ start) => post({ thread, start }),
    terminate() {
      threads.delete(thread);
      post({ thread });
    },
  };
};

/** @typedef {{ thread: number, event: string, value: unknown }} ThreadAnswer of the page */

/** @param {ThreadAnswer} answer */
export const hearThread = ({ thread, event, value }) => threads.get(thread)?.get(event)?.(value);
