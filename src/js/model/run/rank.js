/**
 * Passages ranked by the attention that a query pays them, without generating: in-context
 * re-ranking (Chen et al. 2024, arXiv 2410.02642). See Model.rank in api.d.ts.
 */
import { abortSignal, list, read } from '../../check.js';
import { describe, refuse } from '../../errors.js';
import { checkTokens } from '../reading/tokens.js';
import { headsOf } from './arguments.js';
import { createReader } from '../reading/reader.js';

/**
 * @typedef {import('./model.js').Model} Model
 * @typedef {ReturnType<typeof createReader>} Reader
 * @typedef {import('../../attention/spans.js').Span} Span
 */

/** A query without content. The attention it gives to passages says nothing about a question. */
const EMPTY = 'N/A';

/**
 * The ids of a part of the text.
 * @param {Model} model
 * @param {string} name
 * @param {unknown} part text or ids
 * @param {boolean} continued
 */
function idsOf({ tokenizer, config }, name, part, continued) {
  if (typeof part !== 'string') return checkTokens(part, config, name, 'text or ids');
  if (!tokenizer) refuse('ARG', name, describe(part), 'ids: the model has no tokenizer');
  return checkTokens(tokenizer.encode(part, { continued }), config, name);
}

/**
 * @param {Model} model
 * @param {unknown} query
 * @param {unknown} passages
 * @param {unknown} [options]
 * @returns {Promise<import('../api.d.ts').Ranked[]>}
 */
export async function rank(model, query, passages, options) {
  model.alive();
  const o = read('options', /** @type {import('../api.d.ts').RankOptions} */ (options), [
    'calibration',
    'heads',
    'signal',
  ]);
  const heads = o.heads === undefined ? undefined : headsOf(o.heads, model.config);
  if (heads && !heads.length) refuse('SHAPE', 'heads', 'empty', 'at least one');
  const reader = createReader(model, abortSignal(o.signal));
  const parts = list('passages', passages).map((passage, at) => {
    const part = typeof passage === 'string' ? `${passage}\n` : passage;
    return idsOf(model, `passages[${at}]`, part, at > 0);
  });
  if (!parts.length) refuse('SHAPE', 'passages', 'empty', 'at least one');
  const question = idsOf(model, 'query', query, true);
  const { calibration = typeof query === 'string' ? EMPTY : null } = o;
  const empty = calibration === null ? null : idsOf(model, 'calibration', calibration, true);
  const context = parts.flat();
  const length = context.length + Math.max(question.length, empty?.length ?? 0);
  if (length > model.sequence.capacity)
    refuse('LIMIT', 'passages', `${length} tokens with the query`, `${model.sequence.capacity}`);
  let end = 0;
  const spans = parts.map((part) => /** @type {Span} */ ([end, (end += part.length)]));

  reader.check();
  const release = model.sequence.lock();
  try {
    // the query goes on from the passages
    model.live.now.checkPrompt(context.length, 0, 'the text of all passages');
    if (model.live.averages) await reader.settle(context, true);
    for (let at = model.reuse(context, context.length); at < context.length;) {
      const some = context.slice(at, at + model.chunk(context.length - at));
      at += some.length;
      await reader.read(some, null, { stats: false });
    }
    const scores = await attention(model, reader, question, spans, heads);
    model.sequence.cut(context.length);
    if (empty) {
      const base = await attention(model, reader, empty, spans, heads);
      scores.forEach((_, at) => (scores[at] -= base[at]));
      model.sequence.cut(context.length);
    }
    return Array.from(scores, (score, index) => ({ index, score })).sort(
      (a, b) => b.score - a.score || a.index - b.index,
    );
  } finally {
    release();
  }
}

/**
 * The mean weight of each span, over tokens and heads.
 * @param {Model} model
 * @param {Reader} reader
 * @param {number[]} ids read behind what the cache holds
 * @param {Span[]} spans
 * @param {(readonly [number, number])[] | undefined} chosen heads; default all
 */
async function attention(model, reader, ids, spans, chosen) {
  const { layers, heads } = model.config;
  const rows =
    chosen?.map(([layer, head]) => layer * heads + head) ??
    Array.from({ length: layers * heads }, (_, row) => row);
  const means = new Float64Array(spans.length);
  const probe = reader.probe();
  for (let at = 0; at < ids.length;) {
    const some = ids.slice(at, at + model.chunk(ids.length - at));
    at += some.length;
    const { heads: observed } = await reader.read(some, probe, { stats: false, spans });
    const sums = /** @type {Float32Array} */ (observed?.spans);
    for (const row of rows)
      for (let i = 0; i < some.length; i++)
        for (let x = 0; x < spans.length; x++)
          means[x] += sums[(row * some.length + i) * spans.length + x];
  }
  return means.map((sum) => sum / (ids.length * rows.length));
}
