/** Sums over the rows of all heads, from which scores.js makes the scores of heads. */

/** @typedef {import('../api.d.ts').HeadRow} HeadRow */

/** Adds up how much each head attends to positions that the caller chooses. */
export class Tally {
  #heads;
  #sums;
  #count = 0;

  /** @param {{ layers: number, heads: number }} config */
  constructor({ layers, heads }) {
    this.#heads = heads;
    this.#sums = new Float64Array(layers * heads);
  }

  /**
   * @param {readonly HeadRow[]} rows of one position
   * @param {readonly number[]} positions each once
   */
  add(rows, positions) {
    for (const { layer, head, weights } of rows)
      for (const position of positions) this.#sums[layer * this.#heads + head] += weights[position];
    this.#count++;
  }

  /**
   * The mean of each head, (layers, heads). It is from 0 to 1, as the sums of weights are, and NaN
   * where no row was added.
   */
  means() {
    // sums of rounded weights may exceed 1 by a little
    return this.#sums.map((sum) => Math.min(1, sum / this.#count));
  }
}

/**
 * The entropy of heads over the number n of keys that their layers see: a line through the points
 * (log n, H), by least squares. Rows whose keys are all masked have no entropy, and no point.
 */
export class EntropyLine {
  #heads;
  #x;
  #xx;
  #y;
  #xy;
  #count;

  /** @param {{ layers: number, heads: number }} config */
  constructor({ layers, heads }) {
    this.#heads = heads;
    const zeros = () => new Float64Array(layers * heads);
    this.#x = zeros();
    this.#xx = zeros();
    this.#y = zeros();
    this.#xy = zeros();
    this.#count = zeros();
  }

  /** @param {readonly HeadRow[]} rows of one position @param {(layer: number) => number} n keys */
  add(rows, n) {
    for (const { layer, head, weights } of rows) {
      if (!weights.some((p) => p > 0)) continue;
      let entropy = 0;
      for (const p of weights) if (p > 0) entropy -= p * Math.log(p);
      const at = layer * this.#heads + head;
      const x = Math.log(n(layer));
      this.#x[at] += x;
      this.#xx[at] += x * x;
      this.#y[at] += entropy;
      this.#xy[at] += x * entropy;
      this.#count[at]++;
    }
  }

  /**
   * 1 − the slope of each head, (layers, heads), from 0 to 1. It is 1 where the entropy falls, and
   * 0 where it rises faster than log n. NaN where all points have the same n, or there is none.
   */
  robustness() {
    return this.#count.map((count, at) => {
      const spread = this.#xx[at] - this.#x[at] ** 2 / count;
      const slope = (this.#xy[at] - (this.#x[at] * this.#y[at]) / count) / spread;
      return spread > 1e-9 * count ? Math.min(1, Math.max(0, 1 - slope)) : NaN;
    });
  }
}
