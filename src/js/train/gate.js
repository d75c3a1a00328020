import { abortSignal, progressListener } from '../check.js';
import { yieldToOthers } from '../engine/yield.js';

/**
 * A trainer passes it before each part of a batch. Other tasks of the thread get their time there,
 * a signal ends the call, and a paused trainer waits.
 */
export class Gate {
  /** While the trainer is paused: settles when it goes on. @type {Promise<void> | undefined} */
  #opening;
  #open = () => {};

  pause() {
    this.#opening ??= new Promise((open) => (this.#open = open));
  }

  proceed() {
    this.#open();
    this.#opening = undefined;
  }

  /**
   * For one call: a function to wait at, and one to tell the progress.
   * @param {Pick<import('./types.d.ts').StepOptions, 'signal' | 'onProgress'>} options
   */
  forCall({ signal: given, onProgress }) {
    const signal = abortSignal(given);
    const yielded = yieldToOthers();
    const wait = async () => {
      await yielded();
      while (this.#opening && !signal?.aborted) await unlessAborted(this.#opening, signal);
      signal?.throwIfAborted();
    };
    return { wait, tell: progressListener(onProgress) ?? (() => {}) };
  }
}

/** @typedef {ReturnType<Gate['forCall']>} Passage */

/**
 * Settles with the promise, or when the signal aborts.
 * @param {Promise<void>} promise
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<void>}
 */
const unlessAborted = (promise, signal) =>
  new Promise((settle) => {
    const end = () => {
      signal?.removeEventListener('abort', end);
      settle();
    };
    signal?.addEventListener('abort', end);
    void promise.then(end);
  });
