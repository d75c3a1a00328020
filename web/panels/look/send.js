/** The row on show with its query and keys: asked for, checked, and sent through all panels. */

/** @typedef {import('./writing/story.js').Head} Head */
/** @typedef {import('../../../src/js/model/api.d.ts').Row} Row */
/**
 * @typedef {object} Before
 * @property {Float32Array} [logits] before the token of a row
 * @property {string} [missing] why they are not there
 */
/** @typedef {Row & Before} Asked */

/** The lens has logits of every layer. Over a large vocabulary that takes too long. */
const LENS = 2 ** 18;

/**
 * @param {import('../../../src/js/worker/client.d.ts').RemoteModel} model
 * @param {Head} head @param {number} i @returns {Promise<Asked>}
 */
export async function askRow(model, { layer, head }, i) {
  const row = await model.row(layer, head, i);
  return { ...row, ...(i > 0 ? await logitsBefore(model, i) : {}) };
}

/**
 * The lens is fetched when it is first asked for. Without it the row itself is still checked.
 * @param {import('../../../src/js/worker/client.d.ts').RemoteModel} model @param {number} i
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

/**
 * @param {object} from
 * @param {import('./writing/writer.js').Writer} from.writer
 * @param {import('../../page/model.js').SharedModel} from.model
 * @param {import('./said.js').Said} from.said
 * @param {Head} head @param {number} i
 * @returns {Promise<import('../../page/row.js').Row | undefined>} undefined where the model has
 *   gone on, or another row was asked for
 */
export async function checkedRow({ writer, model, said }, head, i) {
  const { story, settings } = writer;
  const { T } = settings;
  if (!story || i < 1) return undefined;
  const got = await writer.ask('row', async (model) =>
    i < model.cache.length ? askRow(model, head, i) : undefined,
  );
  const shown = story.row(head, i);
  if (!got || story !== writer.story || T !== settings.T) return undefined;
  const { attnScale: scale, attnSoftcap: cap } = (await model.load()).config;
  const rho = story.rho[(head.layer * story.heads + head.head) * story.capacity + i];
  const scores = said.check({ ...got, weights: shown, rho, scale, cap, T });
  said.checkSurprise(story.bits[i], story.tokens[i].id, got);
  return {
    source: model.name,
    ...head,
    position: i,
    temperature: T,
    words: story.tokens.slice(0, i + 1).map(({ text }) => text),
    weights: Float64Array.from(shown),
    scores,
    scale,
    q: got.q,
    k: got.k,
    v: got.v,
    ask: async (question) => (writer.hasModel ? writer.ask('layer', question) : undefined),
  };
}
