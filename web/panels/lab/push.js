/**
 * A push. The streams of two texts behind a layer differ by a vector, and this vector is added to
 * the stream of every word there.
 */

/** @typedef {import('../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */
/** @typedef {import('./compute.js').Push} Push */

/** The unit of rounding of a float32. */
const UNIT = 2 ** -24;

/**
 * The stream behind a layer at the last word, under the present changes.
 * @param {RemoteModel} model @param {string | ArrayLike<number>} text @param {number} layer
 */
export async function streamAt(model, text, layer) {
  const how = { record: ['resid_post'], layers: [layer], positions: 'last' };
  const { resid_post: stream } = await model.trace(
    text,
    /** @type {import('../../../src/js/model/api.d.ts').TraceOptions} */ (how),
  );
  return /** @type {Float32Array} */ (stream);
}

/**
 * @param {RemoteModel} model @param {string} towards @param {string} from @param {number} layer
 */
export async function difference(model, towards, from, layer) {
  const there = await streamAt(model, towards, layer);
  const here = await streamAt(model, from, layer);
  return there.map((x, c) => x - here[c]);
}

/**
 * How far a stream is from the one before it plus gain times the direction. A product and a sum are
 * rounded.
 * @param {Float32Array} before @param {Float32Array} after @param {Push} push
 */
export function moved(before, after, { add, gain }) {
  let measured = 0;
  let allowed = 0;
  let ratio = 0;
  let size = 0;
  for (let c = 0; c < add.length; c++) {
    const wanted = before[c] + gain * add[c];
    const error = Math.abs(after[c] - wanted);
    const rounding = UNIT * (Math.abs(gain * add[c]) + Math.abs(wanted)) * (1 + UNIT);
    measured = Math.max(measured, error);
    allowed = Math.max(allowed, rounding);
    ratio = Math.max(ratio, error === 0 ? 0 : error / rounding);
    size = Math.max(size, Math.abs(gain * add[c]));
  }
  return { measured, allowed, ratio, size };
}
