/** The row on show with its query and keys: asked for, checked, and sent through all panels. */

/** @typedef {import('./writing/story.js').Head} Head */

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
  const got = await writer.row(head, i);
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
    ids: story.tokens.slice(0, i + 1).map(({ id }) => id),
    weights: Float64Array.from(shown),
    scores,
    scale,
    q: got.q,
    k: got.k,
    v: got.v,
  };
}
