/**
 * Sweeps: a prompt is read once, and then once for each change from the changed layer and position
 * on. Layers before it are not computed again, and tokens before it are in the cache.
 */
import { abortSignal, choice, progressListener, read } from '../../check.js';
import { refuse } from '../../errors.js';
import { POINTS, widthOf } from '../inside/points.js';
import { begun, textPrompt } from '../reading/prompt.js';
import { createReader } from '../reading/reader.js';
import { borrowing } from './borrow.js';
import { likeliest, metricOf, readMetric } from './metric.js';
import { Runs } from './runs.js';

/**
 * @typedef {import('../run/model.js').Model} Model
 * @typedef {import('./runs.js').Change} Change
 * @typedef {import('./types.d.ts').Sweep} Sweep
 */

const OVER = /** @type {const} */ (['z', 'resid_pre', 'attn_out', 'mlp_out']);
const ABLATIONS = ['zero', 'mean'];
const NAMES = ['over', 'ablate', 'from', 'metric', 'token', 'against', 'onProgress', 'signal'];

/** @typedef {(typeof OVER)[number]} Over */

/**
 * The values of a layer and position that replace the own ones; null: zeros.
 * @typedef {((layer: number, position: number) => Float32Array) | null} Values
 */

/**
 * See types.d.ts.
 * @param {Model} model
 * @param {unknown} prompt
 * @param {unknown} [options]
 * @returns {Promise<Sweep>}
 */
export async function sweep(model, prompt, options) {
  model.alive();
  const o = read('options', /** @type {import('./types.d.ts').SweepOptions} */ (options), NAMES);
  const over = OVER[choice('over', o.over, ...OVER)];
  const mean = choice('ablate', o.ablate, ...ABLATIONS) === 1;
  if (o.from !== undefined && o.ablate !== undefined)
    refuse('ARG', 'ablate', 'given with from', 'one of both');
  const metric = readMetric(o, model.config.vocab);
  const onProgress = progressListener(o.onProgress);
  const { capacity } = model.sequence;
  const promptIds = begun(textPrompt(model, prompt), capacity);
  const fromIds = o.from === undefined ? undefined : begun(textPrompt(model, o.from), capacity);
  const reader = createReader(model, abortSignal(o.signal));
  reader.check();
  return borrowing(model, async () => {
    const ids = await promptIds(reader.check);
    const other = await fromIds?.(reader.check);
    if (other && other.length !== ids.length)
      refuse('SHAPE', 'from', `${other.length} tokens long`, `${ids.length}, as the prompt`);
    const runs = new Runs(model, reader);
    if (other) await reader.settle(other, true);
    const source = other && (await runs.record(other, [over]));
    model.live.now.checkPrompt(ids.length);
    await reader.settle(ids, true);
    const before = await runs.record(ids, [...new Set(/** @type {const} */ (['resid_pre', over]))]);
    const measure = metricOf(metric, before.logits);
    const base = measure(before.logits);
    const values = source
      ? rowsOf(model, over, source.arrays[over], ids.length)
      : mean
        ? meansOf(model, over, before.arrays[over], ids.length)
        : null;
    const { layers, heads } = model.config;
    const columns = over === 'z' ? heads : ids.length;
    const changes = new Float64Array(layers * columns);
    const answers = new Int32Array(layers * columns);
    let done = 0;
    for (let layer = 0; layer < layers; layer++) {
      // a change leaves its own keys and values behind it, but not before it
      if (over !== 'z') await runs.fill(ids);
      for (let x = columns - 1; x >= 0; x--) {
        const change = changeAt(model, over, values, { layer, x, count: ids.length });
        const logits = await runs.changed(ids, before.arrays.resid_pre, change);
        changes[layer * columns + x] = measure(logits) - base;
        answers[layer * columns + x] = likeliest(logits);
        onProgress?.({ done: ++done, total: changes.length });
      }
    }
    return {
      tokens: Int32Array.from(ids),
      over,
      shape: [layers, columns],
      base,
      ...(source && { source: measure(source.logits) }),
      answer: likeliest(before.logits),
      changes,
      answers,
    };
  });
}

/**
 * The change of a head at all positions, or of one position.
 * @param {Model} model
 * @param {Over} over
 * @param {Values} values
 * @param {{ layer: number, x: number, count: number }} at a head or position, and all positions
 * @returns {Change}
 */
function changeAt({ config }, over, values, { layer, x, count }) {
  const { headDim } = config;
  const ofHead = over === 'z';
  return {
    layer,
    position: ofHead ? 0 : x,
    rows: ofHead ? count : 1,
    point: POINTS[over],
    columns: ofHead ? [x * headDim, headDim] : [0, widthOf(config, over)],
    values: values && ((position) => values(layer, position)),
  };
}

/**
 * @param {Model} model
 * @param {Over} over
 * @param {Float32Array} values (layers, count, width)
 * @param {number} count positions
 * @returns {NonNullable<Values>}
 */
function rowsOf({ config }, over, values, count) {
  const width = widthOf(config, over);
  return (layer, position) => {
    const at = (layer * count + position) * width;
    return values.subarray(at, at + width);
  };
}

/**
 * The mean over all positions. Arguments as above.
 * @param {Model} model
 * @param {Over} over
 * @param {Float32Array} values
 * @param {number} count
 * @returns {NonNullable<Values>}
 */
function meansOf(model, over, values, count) {
  const rows = rowsOf(model, over, values, count);
  const width = widthOf(model.config, over);
  const means = Array.from({ length: model.config.layers }, (_, layer) => {
    const sum = new Float64Array(width);
    for (let position = 0; position < count; position++)
      rows(layer, position).forEach((y, c) => (sum[c] += y));
    return Float32Array.from(sum, (y) => y / count);
  });
  return (layer) => means[layer];
}
