import { readSpans } from '../../attention/spans.js';
import { choice, integer, list, read, yes } from '../../check.js';
import { ClearheadError, describe, refuse } from '../../errors.js';
import { readRecord } from '../inside/options.js';

/**
 * Arguments of a model's methods.
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('./pass.js').Request & { lookback?: boolean }} Request lookback: whether a text
 *   has the ratios of lookback.js
 * @typedef {{ observe?: unknown, heads?: unknown, trace?: unknown }} Options
 */

/**
 * The options `observe`, `heads` and `trace`.
 * @param {unknown} options
 * @param {ModelConfig} config
 * @param {boolean} [isText] whether a text is written
 * @returns {Request}
 */
export function readRequest(options, config, isText = false) {
  if (options === undefined) return { stats: false };
  const { observe, heads, trace } = read('options', /** @type {Options} */ (options), [
    'observe',
    'heads',
    'trace',
  ]);
  const request = readObservations({ observe, heads }, config, isText);
  if (trace !== undefined) request.trace = readRecord(trace, config, 'trace');
  return request;
}

/**
 * @param {Options} options
 * @param {ModelConfig} config
 * @param {boolean} isText
 * @returns {Request}
 */
function readObservations({ observe, heads }, config, isText) {
  if (typeof observe === 'object' && observe)
    return readSpanRequest(observe, heads, config, isText);
  const level = choice('observe', observe, 'none', 'stats', 'weights');
  if (heads === undefined)
    return { stats: level > 0, heads: level === 2 ? everyHead(config) : undefined };
  if (level !== 2)
    refuse(
      'ARG',
      'heads',
      `given with observe: ${describe(observe)}`,
      "observe: 'weights', which they choose from",
    );
  return { stats: true, heads: headsOf(heads, config) };
}

/**
 * The option `observe` with spans, which may lie anywhere in the context.
 * @param {object} observe
 * @param {unknown} heads
 * @param {ModelConfig} config
 * @param {boolean} isText
 * @returns {Request}
 */
function readSpanRequest(observe, heads, config, isText) {
  const expected = '{ spans: [[from, to]] }';
  const { spans, stats, lookback } = read(
    'observe',
    /** @type {{ spans?: unknown, stats?: unknown, lookback?: unknown }} */ (observe),
    ['spans', 'stats', ...(isText ? ['lookback'] : [])],
    expected,
  );
  const ratios = yes('observe.lookback', lookback) === 1;
  if (heads !== undefined)
    refuse('ARG', 'heads', 'given with spans', 'none: spans are observed in every head');
  if (spans === undefined && !ratios) refuse('ARG', 'observe', 'without spans', expected);
  return {
    stats: yes('observe.stats', stats) === 1,
    ...(ratios && { lookback: true }),
    spans: spans === undefined ? undefined : readSpans('observe.spans', spans, config.context),
  };
}

/** @param {ModelConfig} config @returns {[number, number][]} */
const everyHead = ({ layers, heads }) =>
  Array.from({ length: layers * heads }, (_, x) => [Math.floor(x / heads), x % heads]);

/**
 * A list of heads.
 * @param {unknown} heads
 * @param {ModelConfig} config
 */
export const headsOf = (heads, config) =>
  list('heads', heads).map((pair, at) => headOf(pair, at, config));

/**
 * @param {unknown} pair
 * @param {number} at its place in the list
 * @param {ModelConfig} config
 * @returns {[number, number]}
 */
function headOf(pair, at, { layers, heads }) {
  if (!Array.isArray(pair) || pair.length !== 2)
    refuse('ARG', `heads[${at}]`, describe(pair), 'a pair [layer, head]');
  const [layer, head] = pair; // once: a getter may answer otherwise later
  return [
    integer(`the layer of heads[${at}]`, layer, 0, layers - 1),
    integer(`the head of heads[${at}]`, head, 0, heads - 1),
  ];
}

/**
 * Refuses more tokens than the context has positions.
 * @param {{ length: number, capacity: number }} cache
 * @param {number} more tokens
 */
export function checkFits({ length, capacity }, more) {
  if (length + more > capacity)
    throw new ClearheadError(
      'LIMIT',
      `${length} tokens and ${more} more do not fit; expected at most ${capacity}, the context`,
    );
}
