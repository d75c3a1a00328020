/** A text that a model in a worker writes. */
import { abortSignal } from '../check.js';
import { describe, refuse } from '../errors.js';

/**
 * @typedef {import('../model/api.d.ts').GeneratedToken} GeneratedToken
 * @typedef {import('../model/api.d.ts').Observe} Observe
 * @typedef {import('../model/api.d.ts').ObserveSpans} ObserveSpans
 * @typedef {import('../model/api.d.ts').GenerateOptions<Observe | ObserveSpans>} Options
 */

/**
 * @param {import('./link.js').Link} link
 * @param {'generate' | 'chat'} how
 * @param {[prompt: unknown, options?: Options, ...more: unknown[]]} values more of them are for the
 *   model to refuse
 * @returns {AsyncGenerator<any, void, void>}
 */
export async function* remoteText(link, how, [prompt, options, ...more]) {
  if (options !== undefined && (typeof options !== 'object' || !options))
    refuse('ARG', 'options', describe(options), 'an object');
  const { signal, ...rest } = options ?? {};
  const text = link.newId();
  abortSignal(signal)?.throwIfAborted();
  const askNext = () => {
    /** @type {Promise<{ value: GeneratedToken, done: boolean }>} */
    const asked = link.call('next', [text], { stop: text, signal });
    asked.catch(() => {}); // it is thrown where it is awaited
    return asked;
  };
  let received = 0;
  let over = false;
  /** @type {Promise<unknown> | undefined} */
  let ended;
  const end = () => {
    signal?.removeEventListener('abort', end);
    if (!over && !ended) link.stop(text);
    return (ended ??= link.call('finish', [text, over ? 0 : received]).catch(() => {}));
  };
  // also while the caller has a token, when this function may never run again
  signal?.addEventListener('abort', end);
  try {
    await link.call('begin', [how, prompt, rest, ...more], {
      id: text,
      name: how,
      given: [prompt, rest, ...more],
      signal,
    });
    // Keep two requests in flight. The worker then waits neither for the page to handle a token
    // nor for the next message to arrive.
    let next = askNext();
    /** @type {typeof next | undefined} */
    let afterNext;
    for (;;) {
      const { value, done } = await next;
      over = done;
      if (over) return;
      next = afterNext ?? askNext();
      received++;
      over = Boolean(value.finish);
      // before the last token is handed out, since the caller may ask for something else then
      if (over) void end();
      yield value;
      if (over) return;
      signal?.throwIfAborted();
      afterNext = askNext();
    }
  } finally {
    // After an abort there is nothing to wait for: the worker ends the text before anything else.
    const finished = end();
    if (!signal?.aborted) await finished;
  }
}
