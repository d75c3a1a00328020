/** Metrics of a sweep, from the logits of the last position. */
import { choice, integer } from '../../check.js';
import { refuse } from '../../errors.js';
import { divergence, logProbabilities } from './log-softmax.js';

const METRICS = ['logprob', 'difference', 'kl'];

/** The likeliest token, the first among equals. @param {Float32Array} logits */
export const likeliest = (logits) =>
  logits.reduce((best, x, id) => (x > logits[best] ? id : best), 0);

/**
 * @param {{ metric?: unknown, token?: unknown, against?: unknown }} options
 * @param {number} vocab
 */
export function readMetric({ metric, token, against }, vocab) {
  const name = METRICS[choice('metric', metric, ...METRICS)];
  const id = (/** @type {string} */ key, /** @type {unknown} */ x) =>
    x === undefined ? undefined : integer(key, x, 0, vocab - 1);
  const ids = { token: id('token', token), against: id('against', against) };
  if (name === 'difference' && (ids.token === undefined || ids.against === undefined))
    refuse('ARG', 'metric', '"difference"', 'it with both tokens: token and against');
  if (name === 'difference' && ids.token === ids.against)
    refuse('ARG', 'against', `${ids.against}, as token`, 'another token');
  if (name !== 'difference' && ids.against !== undefined)
    refuse('ARG', 'against', 'given', 'it with metric: "difference" alone');
  if (name === 'kl' && ids.token !== undefined)
    refuse('ARG', 'token', 'given', 'none with metric: "kl", which has all tokens');
  return { name, ...ids };
}

/**
 * The metric as a function of logits. Without a token it is the likeliest one before the change.
 * @param {ReturnType<typeof readMetric>} metric
 * @param {Float32Array} before logits
 */
export function metricOf({ name, token: given, against }, before) {
  const token = given ?? likeliest(before);
  const p = logProbabilities(before);
  /** @type {(logits: Float32Array) => number} */
  const of =
    name === 'kl'
      ? (logits) => divergence(p, logProbabilities(logits))
      : name === 'difference'
        ? (logits) => logits[token] - logits[/** @type {number} */ (against)]
        : (logits) => logProbabilities(logits)[token];
  return of;
}
