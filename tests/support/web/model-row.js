/** A row of a model, as the look sends it to the other panels. */

/**
 * @param {any} model
 * @param {{ layer: number, head: number, length: number, T: number }} options
 */
export async function rowOf(model, { layer, head, length, T }) {
  const ids = model.tokenizer.encode('abcdefgh '.repeat(20)).slice(0, length);
  await model.intervene([{ temperature: T }]);
  model.cache.clear();
  for (const id of ids) model.step(id, { observe: 'weights' });
  const position = length - 1;
  const { weights, scores, q, k, v } = model.row(layer, head, position);
  return {
    ...{ source: 'stories', layer, head, position, ids, temperature: T },
    ...{ words: ids.map(String), weights, scores, q, k, v },
  };
}
