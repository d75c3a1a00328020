import { expNegative } from './exp.js';

/** If there are more weights, only the band at the edge of top-p is sorted. */
const SORTED = 4096;
/** Bands of weights, 32 to each power of two. */
const BANDS = 2048;

/**
 * The tokens that may be drawn and their weights, exp((z − max)/τ). Its arrays are reused from call
 * to call.
 */
export class Candidates {
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
    const chosen = topK && topK < logits.length ? this.largest(logits, topK) : undefined;
    const length = chosen?.length ?? logits.length;
    // only top-p needs the sum of all weights; without it, weights that min-p drops are skipped
    const min = minP > 0 && topP === 1 ? Math.log(minP) - 1e-9 : -Infinity;
    let count = 0;
    let sum = 0;
    for (let at = 0; at < length; at++) {
      const id = chosen ? chosen[at] : at;
      const x = (logits[id] - max) / tau;
      if (x < min) continue;
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
   * Keeps those whose weight is at least `min`, in their order.
   * @param {number} count
   * @param {number} min
   */
  #filter(count, min) {
    const ids = this.#ids;
    const weights = this.#weights;
    let kept = 0;
    for (let i = 0; i < count; i++)
      if (weights[i] >= min) {
        ids[kept] = ids[i];
        weights[kept++] = weights[i];
      }
    return kept;
  }

  /**
   * Keeps the smallest set of largest weights that reach topP of the sum, in the order of ids. Of
   * equal weights the first are kept.
   * @param {number} count
   * @param {number} sum
   * @param {number} topP
   */
  #nucleus(count, sum, topP) {
    // all weights below this together are less than 1 − topP, so only the others need sorting
    const filtered = this.#filter(count, ((1 - topP) * sum) / count);
    const ids = this.#ids;
    const weights = this.#weights;
    const aim = topP * sum;
    let { sorted, reached } =
      filtered > SORTED
        ? this.#edge(filtered, aim)
        : { sorted: weights.slice(0, filtered).sort(), reached: 0 };
    let at = sorted.length;
    if (!at) return filtered;
    while (at > 0 && reached < aim) reached += sorted[--at];
    const min = sorted[at];
    let equals = 0;
    let kept = 0;
    while (sorted[at + equals] === min) equals++;
    for (let i = 0; i < filtered; i++)
      if (weights[i] > min || (weights[i] === min && equals-- > 0)) {
        ids[kept] = ids[i];
        weights[kept++] = weights[i];
      }
    return kept;
  }

  /**
   * The band of weights in which the sum from above reaches `aim`: its weights, sorted, and the sum
   * of the bands above it.
   * @param {number} count
   * @param {number} aim
   */
  #edge(count, aim) {
    const weights = this.#weights;
    const words = this.#words;
    const masses = this.#masses.fill(0);
    const bandOf = (/** @type {number} */ i) =>
      Math.min(BANDS - 1, (0x3ff00000 - words[2 * i + 1]) >>> 15);
    for (let i = 0; i < count; i++) masses[bandOf(i)] += weights[i];
    let at = 0;
    let reached = 0;
    let length = 0;
    while (at < BANDS - 1 && reached + masses[at] < aim) reached += masses[at++];
    const band = weights.slice(0, count);
    for (let i = 0; i < count; i++) if (bandOf(i) === at) band[length++] = weights[i];
    return { sorted: band.subarray(0, length).sort(), reached };
  }

  /**
   * The ids of the k largest logits, of equals the first, in the order of ids.
   * @param {Float32Array} logits
   * @param {number} k
   */
  largest(logits, k) {
    // a heap whose top is the first to be replaced
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
