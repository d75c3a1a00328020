import { array, integer, number, read } from '../../check.js';
import { refuse } from '../../errors.js';
import { expNegative, logAboveOne } from './exp.js';
import { Random } from './random.js';

/**
 * Weights that are sorted as they are; of more, those around the edge of top-p alone. Bands of
 * weights: 32 to each power of two.
 */
const SORTED = 4096;
const BANDS = 2048;

/**
 * Chooses a token. The order is: repetition penalty, τ, top-k, top-p, min-p, draw. Everything is
 * exact arithmetic in a fixed order, so that the same logits and the same seed give the same token
 * on every engine.
 * @param {any} [options] see SampleOptions
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
    options,
    'tau topK topP minP repetitionPenalty repetitionWindow seed logprobs',
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
  const choose = new Chooser();
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
        const kept = choose.keep(logits, logits[best], { tau, topK, topP, minP });
        token = choose.draw(kept, random.uniform());
      }
      if (logprobs < 0) return { token };
      const log = logSum(given, given === logits ? best : largest(given));
      const of = (/** @type {number} */ id) => ({ token: id, logprob: given[id] - log });
      const top = [...choose.largestFew(given, logprobs)]
        .sort((a, b) => given[b] - given[a] || a - b)
        .map(of);
      return { ...of(token), ...(logprobs ? { top } : {}) };
    },
    save: () => random.save(),
    restore(/** @type {Uint32Array} */ state) {
      if (array('state', state, 'Uint32Array').length !== 4 || !state.some((word) => word))
        refuse('RANGE', 'state', `of ${state.length} words`, 'what save gave');
      random.restore(state);
    },
  });
}

/** @param {string} name @param {any} x @param {number} least @param {number} most */
function within(name, x, least, most) {
  return number(name, x) >= least && x <= most
    ? x
    : refuse('RANGE', name, x, `a number from ${least} to ${most}`);
}

/** The largest logit, of equals the first. @param {Float32Array} logits */
function largest(logits) {
  let best = -1;
  let most = -Infinity;
  for (let i = 0; i < logits.length; i++)
    if (!(logits[i] <= most)) {
      if (!(logits[i] < Infinity))
        refuse(
          'RANGE',
          `logits[${i}]`,
          logits[i],
          'a finite number, or -Infinity for what must not come',
        );
      most = logits[i];
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

/** Candidates and their weights, exp((z − max)/τ), kept from call to call. */
class Chooser {
  #ids = new Int32Array();
  #weights = new Float64Array();
  /** The same as pairs of words. */
  #words = new Uint32Array();
  #masses = new Float64Array(BANDS);

  /**
   * Fills in the candidates that pass the filters.
   * @param {Float32Array} logits
   * @param {number} max
   * @param {{ tau: number, topK: number, topP: number, minP: number }} filters
   * @returns {number} how many
   */
  keep(logits, max, { tau, topK, topP, minP }) {
    if (this.#ids.length < logits.length) {
      this.#ids = new Int32Array(logits.length);
      this.#weights = new Float64Array(logits.length);
      this.#words = new Uint32Array(this.#weights.buffer);
    }
    const ids = this.#ids;
    const weights = this.#weights;
    const few = topK && topK < logits.length ? this.largestFew(logits, topK) : undefined;
    const most = few?.length ?? logits.length;
    // where nobody asks for the sum, no weight is needed of what min-p leaves out in any case
    const least = minP > 0 && topP === 1 ? Math.log(minP) - 1e-9 : -Infinity;
    let count = 0;
    let sum = 0;
    for (let at = 0; at < most; at++) {
      const id = few ? few[at] : at;
      const x = (logits[id] - max) / tau;
      if (x < least) continue;
      const weight = expNegative(x);
      if (!weight) continue;
      ids[count] = id;
      weights[count++] = weight;
      sum += weight;
    }
    if (topP < 1) count = this.#nucleus(count, sum, topP);
    return minP > 0 ? this.#filter(count, minP) : count;
  }

  /**
   * Those whose weight is at least `least`, in their order.
   * @param {number} count
   * @param {number} least
   */
  #filter(count, least) {
    const ids = this.#ids;
    const weights = this.#weights;
    let kept = 0;
    for (let i = 0; i < count; i++)
      if (weights[i] >= least) {
        ids[kept] = ids[i];
        weights[kept++] = weights[i];
      }
    return kept;
  }

  /**
   * The fewest largest weights that reach topP of the sum, of equals the first, in the order of
   * ids.
   * @param {number} count
   * @param {number} sum
   * @param {number} topP
   */
  #nucleus(count, sum, topP) {
    // all below this together are less than what may be left out, so only the others need sorting
    const few = this.#filter(count, ((1 - topP) * sum) / count);
    const ids = this.#ids;
    const weights = this.#weights;
    const aim = topP * sum;
    let { sorted, reached } =
      few > SORTED ? this.#edge(few, aim) : { sorted: weights.slice(0, few).sort(), reached: 0 };
    let at = sorted.length;
    if (!at) return few;
    while (at > 0 && reached < aim) reached += sorted[--at];
    const least = sorted[at];
    let equals = 0;
    let kept = 0;
    while (sorted[at + equals] === least) equals++;
    for (let i = 0; i < few; i++)
      if (weights[i] > least || (weights[i] === least && equals-- > 0)) {
        ids[kept] = ids[i];
        weights[kept++] = weights[i];
      }
    return kept;
  }

  /**
   * The band of weights in which those above it together come to reach `aim`, sorted, and what they
   * reach before it.
   * @param {number} few
   * @param {number} aim
   */
  #edge(few, aim) {
    const weights = this.#weights;
    const words = this.#words;
    const masses = this.#masses.fill(0);
    const band = (/** @type {number} */ i) =>
      Math.min(BANDS - 1, (0x3ff00000 - words[2 * i + 1]) >>> 15);
    for (let i = 0; i < few; i++) masses[band(i)] += weights[i];
    let at = 0;
    let reached = 0;
    let count = 0;
    while (at < BANDS - 1 && reached + masses[at] < aim) reached += masses[at++];
    const those = weights.slice(0, few);
    for (let i = 0; i < few; i++) if (band(i) === at) those[count++] = weights[i];
    return { sorted: those.subarray(0, count).sort(), reached };
  }

  /**
   * The ids of the k largest logits, of equals the first, in the order of ids.
   * @param {Float32Array} logits
   * @param {number} k
   */
  largestFew(logits, k) {
    // a heap with the least wanted of those kept at the top
    const heap = new Int32Array(Math.min(k, logits.length));
    const worse = (/** @type {number} */ a, /** @type {number} */ b) =>
      logits[a] < logits[b] || (logits[a] === logits[b] && a > b);
    let count = 0;
    let floor = -Infinity;
    for (let id = 0; id < logits.length && heap.length; id++) {
      if (count === heap.length && !(logits[id] > floor)) continue;
      let at;
      if (count < heap.length) {
        for (at = count++; at && worse(id, heap[(at - 1) >> 1]); at = (at - 1) >> 1)
          heap[at] = heap[(at - 1) >> 1];
      } else {
        at = 0;
        for (let down = 1; down < count; down = 2 * at + 1) {
          if (down + 1 < count && worse(heap[down + 1], heap[down])) down++;
          if (!worse(heap[down], id)) break;
          heap[at] = heap[down];
          at = down;
        }
      }
      heap[at] = id;
      floor = logits[heap[0]];
    }
    return heap.sort();
  }

  /** @param {number} count candidates @param {number} u uniform in [0, 1) */
  draw(count, u) {
    const weights = this.#weights;
    let sum = 0;
    let reached = 0;
    for (let i = 0; i < count; i++) sum += weights[i];
    for (let i = 0; i < count; i++) if ((reached += weights[i]) > u * sum) return this.#ids[i];
    return this.#ids[count - 1];
  }
}
