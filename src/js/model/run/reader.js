import { SLICE, yieldToOthers } from '../../engine/yield.js';

/**
 * Reads tokens layer by layer, and gives way to other tasks of the thread.
 * @param {import('./model.js').Model} model
 * @param {AbortSignal} [signal]
 */
export function createReader(model, signal) {
  const pause = yieldToOthers();
  /** After each wait: the work may have been ended meanwhile. */
  const check = () => {
    signal?.throwIfAborted();
    model.alive();
  };
  return {
    check,
    async pause() {
      await pause();
      check();
    },
    /**
     * @param {number[]} tokens
     * @param {Float32Array | null} logits to be filled if the last token's are wanted
     * @param {import('./pass.js').Request} request
     */
    async read(tokens, logits, request) {
      const reading = model.reading(tokens, logits, request, SLICE);
      try {
        for (;;) {
          await pause();
          check();
          const { done, value } = reading.next();
          if (done) return value;
        }
      } finally {
        reading.return({}); // releases the memory of a pass that is not finished
      }
    },
  };
}
