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
  const before = sequence.length ? sequence.snapshot() : undefined;
  const release = sequence.lock(() => false);
  const putBack = model.live.keep();
  try {
    model.ready();
    sequence.cut(0);
    return await work();
  } finally {
    putBack();
    release();
    const alive = sequence.caches.length > 0;
    if (alive && before) sequence.restore(before);
    else if (alive) sequence.clear();
  }
}
