import { SLICE, yieldToOthers } from '../../engine/yield.js';

/**
 * Reads tokens layer by layer, and gives way to other tasks of the thread.
 * @param {import('../run/model.js').Model} model
 * @param {AbortSignal} [signal]
 */
export function createReader(model, signal) {
  const pause = yieldToOthers();
  /** To be called right after each wait, in which the work may have been ended. */
  const check = () => {
    signal?.throwIfAborted();
    model.alive();
  };
  /**
   * @template T
   * @param {Generator<void, T, void>} steps
   */
  const run = async (steps) => {
    try {
      for (;;) {
        await pause();
        check();
        const { done, value } = steps.next();
        if (done) return value;
      }
    } finally {
      // releases the memory of a pass that is not finished
      steps.return(/** @type {T} */ (undefined));
    }
  };
  return {
    check,
    pause,
    /** Logits that are computed only to be checked, where interventions may make them overflow. */
    probe: () => (model.live.now.acts ? new Float32Array(model.config.vocab) : null),
    /**
     * @param {number[]} tokens
     * @param {Float32Array | null} logits to be filled if the last token's are wanted
     * @param {import('../run/pass.js').Request} request
     */
    read: (tokens, logits, request) => run(model.reading(tokens, logits, request, SLICE)),
    /** Measures the means of interventions. @param {number[]} ids @param {boolean} anew */
    settle: (ids, anew) => run(model.settle(() => ids, anew, SLICE)),
  };
}
