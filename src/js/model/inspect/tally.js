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

  /** @param {readonly HeadRow[]} rows of one position @param {readonly number[]} positions */
  add(rows, positions) {
    for (const { layer, head, weights } of rows)
      for (const position of positions) this.#sums[layer * this.#heads + head] += weights[position];
    this.#count++;
  }

  /** The mean of each head, (layers, heads). */
  means() {
    return this.#sums.map((sum) => (this.#count ? sum / this.#count : 0));
  }
}

/**
 * The entropy of heads over the number n of keys that they see: a line through the points (log n,
 * H), by least squares.
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

  /** 1 − the slope of each head, (layers, heads). NaN where all points have the same n. */
  robustness() {
    return this.#count.map((count, at) => {
      const spread = this.#xx[at] - this.#x[at] ** 2 / count;
      const slope = (this.#xy[at] - (this.#x[at] * this.#y[at]) / count) / spread;
      return spread > 1e-9 * count ? 1 - slope : NaN;
    });
  }
}
