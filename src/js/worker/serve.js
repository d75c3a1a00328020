import { nodeModule } from '../engine/node.js';
import { describe, refuse } from '../errors.js';
import { hearThread } from './host-threads.js';

/**
 * Receives the messages of this worker. The first of them is answered at once, with none of a
 * call: a file that a bundler has emptied would stay silent. Messages of threads go to their
 * engine.
 * @template M
 * @param {(post: (answer: unknown) => void, message: M) => void} receive
 */
export function serve(receive) {
  let answered = false;
  /** @param {(answer: unknown) => void} post @param {M} message */
  const receiveNext = (post, message) => {
    if (!answered) post({});
    answered = true;
    const ofThread = /** @type {import('./host-threads.js').ThreadAnswer} */ (message);
    if (ofThread.thread) hearThread(ofThread);
    else receive(post, message);
  };
  if (typeof postMessage === 'function')
    globalThis.onmessage = ({ data }) => receiveNext((answer) => postMessage(answer), data);
  else
    void nodeModule('worker_threads').then(({ parentPort: port }) =>
      port?.on('message', (/** @type {M} */ data) =>
        receiveNext((answer) => port.postMessage(answer), data),
      ),
    );
}

/**
 * Refuses the call of another host, whose file this one may have replaced in a bundle.
 * @param {string} what this host is for
 * @param {unknown} f
 */
export const foreign = (what, f) =>
  refuse(
    'ENV',
    'the worker',
    `the host of ${what}, and was asked for ${describe(f)}`,
    'the host of its own kind (docs/bundlers.md)',
  );

/** An error as it is sent. @param {unknown} error */
export function errorOf(error) {
  const {
    name,
    code,
    message = String(error),
  } = /** @type {Partial<import('../errors.js').ClearheadError>} */ (error ?? {});
  return { name, code, message: String(message) };
}
