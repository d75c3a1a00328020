/** Head scores, see Heads in types.d.ts. */
import { DEFINITIONS, headTable } from './definitions.js';
import { readScoreOptions } from './score-options.js';
import { EntropyLine, Tally } from './tally.js';

/**
 * @typedef {import('../api.d.ts').HeadRow} HeadRow
 * @typedef {import('./types.d.ts').ScoreName} ScoreName
 * @typedef {import('./types.d.ts').HeadScores} HeadScores
 * @typedef {import('./score-options.js').Texts} Texts
 * @typedef {import('./score-options.js').Described} Described
 *
 * @typedef {{ position: number, rows: HeadRow[] }} Position
 *
 * @typedef {object} Watching
 * @property {(ids: number[], signal?: AbortSignal) => AsyncIterable<Position>} read rows of
 *   all heads, position by position
 * @property {() => Promise<void>} [pause] leaves the thread to others
 * @property {() => Generator<number, Float64Array, void>} [copying] its scores, in steps
 *
 * @typedef {Described & Watching} Watched a model as it is seen here
 */

/**
 * @param {Watched} model
 * @param {unknown} [options]
 * @param {(work: () => Promise<HeadScores>) => Promise<HeadScores>} [within] runs the work
 * @returns {Promise<HeadScores>}
 */
export async function scoreHeads(model, options, within = (work) => work()) {
  const o = readScoreOptions(options, model);
  const { names, signal, onProgress } = o;
  const check = () => signal?.throwIfAborted();
  check();
  const progress = counter(o, model, onProgress);
  return within(async () => {
    const scores = await watch(model, o, () => (check(), progress(1)));
    if (names.includes('copying') && model.copying)
      scores.copying = await copy(model, model.copying(), progress, check);
    const kept = names.filter((name) => scores[name]);
    const chosen = Object.fromEntries(kept.map((name) => [name, scores[name]]));
    return {
      definitions: Object.fromEntries(kept.map((name) => [name, definition(name, o)])),
      scores: chosen,
      heads: headTable(model.config, chosen),
    };
  });
}

/** Where there are no texts, their scores are those of the repeats. */
const definition = (/** @type {ScoreName} */ name, /** @type {Texts} */ { texts }) => ({
  ...DEFINITIONS[name],
  ...(DEFINITIONS[name].on === 'texts' && !texts.length && { on: 'repeats' }),
});

/**
 * Tells how much is done: tokens that are read, and heads whose eigenvalues are known.
 * @param {ReturnType<typeof readScoreOptions>} o
 * @param {Watched} model
 * @param {((progress: { done: number, total: number }) => void) | undefined} onProgress
 */
function counter({ texts, repeats, sources, names }, { config, copying }, onProgress) {
  const all = [...texts, ...[...repeats, ...sources].map(({ ids }) => ids)];
  const heads = names.includes('copying') && copying ? config.layers * config.heads : 0;
  const total = all.reduce((sum, ids) => sum + ids.length, heads);
  let done = 0;
  return (/** @type {number} */ more) => onProgress?.({ done: (done += more), total });
}

/**
 * The scores of rows.
 * @param {Watched} model
 * @param {Texts & { signal?: AbortSignal }} texts
 * @param {() => void} step after each row
 * @returns {Promise<Partial<Record<ScoreName, Float64Array>>>}
 */
async function watch(model, { texts, repeats, sources, signal }, step) {
  const { config } = model;
  const [previous, first, duplicate, induction, source] = Array.from(
    { length: 5 },
    () => new Tally(config),
  );
  const line = new EntropyLine(config);
  const keys = (/** @type {number} */ position) => (/** @type {number} */ layer) =>
    config.localLayers?.[layer] && config.slidingWindow
      ? Math.min(position + 1, config.slidingWindow)
      : position + 1;
  const asText = (/** @type {number} */ position, /** @type {HeadRow[]} */ rows) => {
    // before, the first token and the last but one are the same
    if (position < 2) return;
    previous.add(rows, [position - 1]);
    first.add(rows, [0]);
    line.add(rows, keys(position));
  };
  for (const ids of texts)
    for await (const { position, rows } of model.read(ids, signal)) {
      asText(position, rows);
      step();
    }
  for (const { ids, begin, period } of repeats)
    for await (const { position, rows } of model.read(ids, signal)) {
      if (!texts.length) asText(position, rows);
      if (position >= begin + period) {
        duplicate.add(rows, [position - period]);
        induction.add(rows, [position - period + 1]);
      }
      step();
    }
  for (const { ids, positions } of sources)
    for await (const { position, rows } of model.read(ids, signal)) {
      if (position === ids.length - 1) source.add(rows, positions);
      step();
    }
  return {
    previous: previous.means(),
    first: first.means(),
    duplicate: duplicate.means(),
    induction: induction.means(),
    source: source.means(),
    robustness: line.robustness(),
  };
}

/**
 * @param {Watched} model
 * @param {Generator<number, Float64Array, void>} steps
 * @param {(more: number) => void} progress
 * @param {() => void} check
 */
async function copy({ config, pause }, steps, progress, check) {
  const heads = config.layers * config.heads;
  for (let done = 0; ;) {
    await pause?.();
    check();
    const { done: over, value } = steps.next();
    const now = over ? heads : Math.floor(heads * value);
    progress(now - done);
    done = now;
    if (over) return value;
  }
}
