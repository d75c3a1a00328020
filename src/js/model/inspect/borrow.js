/**
 * Lets work have the cache of a model, which nobody else may change meanwhile. Afterwards the cache
 * is as before, and so are the means of interventions. Where there are none yet, the work begins
 * with those of the cache.
 * @template T
 * @param {import('../run/model.js').Model} model
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function borrowing(model, work) {
  model.alive();
  const { sequence } = model;
  sequence.checkFree();
  const release = sequence.lock();
  const putBack = model.live.keep();
  /** @type {(() => void) | undefined} */
  let putTokensBack;
  try {
    model.ready();
    putTokensBack = sequence.setAside();
    return await work();
  } finally {
    putBack();
    release();
    putTokensBack?.();
  }
}
