/** A row with its query and keys, and the logits before its token. */

/** @typedef {import('./story.js').Head} Head */
/** @typedef {import('../../../../src/js/model/api.d.ts').Row} Row */
/**
 * @typedef {object} Before
 * @property {Float32Array} [logits] before the token of a row
 * @property {string} [missing] why they are not there
 */
/** @typedef {Row & Before} Asked */

/** The lens has logits of every layer. Over a large vocabulary that takes too long. */
const LENS = 2 ** 18;

/**
 * @param {import('../../../../src/js/worker/client.d.ts').RemoteModel} model
 * @param {Head} head @param {number} i @returns {Promise<Asked>}
 */
export async function askRow(model, { layer, head }, i) {
  const row = await model.row(layer, head, i);
  return { ...row, ...(i > 0 ? await logitsBefore(model, i) : {}) };
}

/**
 * The lens is fetched when it is first asked for. Without it the row itself is still checked.
 * @param {import('../../../../src/js/worker/client.d.ts').RemoteModel} model @param {number} i
 * @returns {Promise<Before>}
 */
async function logitsBefore(model, i) {
  const { layers, vocab } = model.config;
  if (layers * vocab > LENS) return { missing: 'the vocabulary is large' };
  try {
    const { logits } = await model.lens(i - 1, { top: 1 });
    return { logits: logits.subarray(-vocab) };
  } catch {
    return { missing: 'the logits did not come' };
  }
}
