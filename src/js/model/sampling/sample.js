import { array, integer, number, read } from '../../check.js';
import { refuse } from '../../errors.js';
import { Candidates } from './candidates.js';
import { expNegative, logAboveOne } from './exp.js';
import { Random } from './random.js';

export const SAMPLER_OPTIONS = /** @type {const} */ ([
  'tau',
  'topK',
  'topP',
  'minP',
  'repetitionPenalty',
  'repetitionWindow',
  'seed',
  'logprobs',
]);

/**
 * Chooses a token. The logits pass through the repetition penalty and τ. Then top-k, top-p and
 * min-p filter them, and one is drawn. All arithmetic is exact and in a fixed order. So the same
 * logits and the same seed give the same token on every engine.
 * @param {unknown} [options] see SampleOptions
 * @returns {import('../types.d.ts').Sampler}
 */
export function createSampler(options) {
  const {
    tau = 0,
    topK = 0,
    topP = 1,
    minP = 0,
    repetitionPenalty = 1,
    repetitionWindow = 64,
    seed = 0,
    logprobs = -1,
  } = read(
    'options',
    /** @type {import('../types.d.ts').SampleOptions} */ (options),
    SAMPLER_OPTIONS,
  );
  within('tau', tau, 0, 1e6);
  integer('topK', topK, 0);
  if (!(number('topP', topP) > 0 && topP <= 1)) refuse('RANGE', 'topP', topP, 'above 0, at most 1');
  within('minP', minP, 0, 1);
  if (!(within('repetitionPenalty', repetitionPenalty, 0, 1e6) > 0))
    refuse('RANGE', 'repetitionPenalty', repetitionPenalty, 'above 0');
  integer('repetitionWindow', repetitionWindow, 0);
  integer('logprobs', logprobs, -1, 1024);
  const random = new Random(integer('seed', seed, 0, Number.MAX_SAFE_INTEGER));
  const candidates = new Candidates();
  let changed = new Float32Array();

  /** @param {Float32Array} logits @param {ArrayLike<number>} history */
  const penalised = (logits, history) => {
    if (repetitionPenalty === 1 || !repetitionWindow) return logits;
    if (changed.length !== logits.length) changed = new Float32Array(logits.length);
    changed.set(logits);
    for (const id of new Set(Array.prototype.slice.call(history, -repetitionWindow)))
      if (id < logits.length)
        changed[id] =
          logits[id] > 0 ? logits[id] / repetitionPenalty : logits[id] * repetitionPenalty;
    return changed;
  };
  return Object.freeze({
    sample(/** @type {Float32Array} */ given, /** @type {ArrayLike<number>} */ history = []) {
      array('logits', given, 'Float32Array');
      const logits = penalised(given, history);
      const best = largest(logits);
      let token = best;
      if (tau > 0 && topK !== 1) {
        const kept = candidates.keep(logits, logits[best], { tau, topK, topP, minP });
        token = candidates.draw(kept, random.uniform());
      }
      if (logprobs < 0) return { token };
      const log = logSum(given, given === logits ? best : largest(given));
      const of = (/** @type {number} */ id) => ({ token: id, logprob: given[id] - log });
      const top = [...candidates.largest(given, logprobs)]
        .sort((a, b) => given[b] - given[a] || a - b)
        .map(of);
      return { ...of(token), ...(logprobs ? { top } : {}) };
    },
    save: () => random.save(),
    restore(/** @type {Uint32Array} */ state) {
      if (array('state', state, 'Uint32Array').length !== 4 || !state.some((word) => word))
        refuse('RANGE', 'state', `of ${state.length} words`, 'a state that save returned');
      random.restore(state);
    },
  });
}

/** @param {string} name @param {unknown} x @param {number} min @param {number} max */
function within(name, x, min, max) {
  const value = number(name, x);
  return value >= min && value <= max
    ? value
    : refuse('RANGE', name, value, `a number from ${min} to ${max}`);
}

/** The largest logit, of equals the first. @param {Float32Array} logits */
function largest(logits) {
  let best = -1;
  let max = -Infinity;
  for (let i = 0; i < logits.length; i++)
    if (!(logits[i] <= max)) {
      if (!(logits[i] < Infinity))
        refuse(
          'RANGE',
          `logits[${i}]`,
          logits[i],
          'a finite number, or -Infinity for a token that must not come',
        );
      max = logits[i];
      best = i;
    }
  return best >= 0
    ? best
    : refuse(
        'RANGE',
        'logits',
        logits.length ? 'all -Infinity' : 'empty',
        'at least one that is finite',
      );
}

/** log Σ exp of the logits. @param {Float32Array} logits @param {number} best */
function logSum(logits, best) {
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += expNegative(logits[i] - logits[best]);
  return logits[best] + logAboveOne(sum);
}
