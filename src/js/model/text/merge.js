/**
 * Merges neighbouring symbols into tokens, for both kinds of vocabulary (bpe.js and spm.js). The
 * best pair merges first.
 */

/** The number of merges after which others may run. */
const STEP = 4096;

/**
 * Symbols in a linked list, and their pairs in a heap. So n symbols need O(n log n) steps, whatever
 * the text is. To search for the best pair after each merge would need O(n²).
 */
class Merger {
  #next = new Int32Array(64);
  #before = new Int32Array(64);
  #size = new Int32Array(64);
  /**
   * The heap, ordered by cost and then by left symbol. A pair is out of date if its right symbol or
   * their sizes have changed since.
   */
  #cost = new Float64Array(192);
  #left = new Int32Array(192);
  #right = new Int32Array(192);
  #sizes = new Int32Array(192);
  #count = 0;

  /**
   * @param {number} n symbols, numbered from left to right
   * @param {(left: number, right: number) => number} costOf the lower the sooner, NaN for never;
   *   equal costs from the left
   * @param {(left: number, right: number) => void} join the right symbol into the left one
   * @param {(symbol: number) => void} emit each symbol that remains, from left to right
   * @returns {import('../../engine/yield.js').Steps<void>} no other may run meanwhile
   */
  *run(n, costOf, join, emit) {
    if (!n) return;
    if (n > this.#next.length) this.#grow(n);
    const next = this.#next;
    const before = this.#before;
    const size = this.#size;
    for (let i = 0; i < n; i++) {
      next[i] = i + 1 < n ? i + 1 : -1;
      before[i] = i - 1;
      size[i] = 1;
    }
    this.#count = 0;
    for (let i = 0; i + 1 < n; i++) {
      this.#push(costOf(i, i + 1), i, i + 1);
      if (i % STEP === STEP - 1) yield 0;
    }
    for (let merges = 1; this.#count; merges++) {
      if (merges % STEP === 0) yield 0;
      const left = this.#left[0];
      const right = this.#right[0];
      const sizes = this.#sizes[0];
      this.#pop();
      // sizes only grow, so an equal sum means that neither has changed
      if (!size[left] || !size[right] || size[left] + size[right] !== sizes) continue;
      join(left, right);
      size[left] += size[right];
      size[right] = 0;
      const after = next[right];
      next[left] = after;
      if (after >= 0) {
        before[after] = left;
        this.#push(costOf(left, after), left, after);
      }
      if (before[left] >= 0) this.#push(costOf(before[left], left), before[left], left);
    }
    for (let i = 0; i >= 0; i = next[i]) emit(i);
  }

  /**
   * @param {number} n at most n − 1 pairs at first and two more for each of n − 1 merges
   * @returns {void}
   */
  #grow(n) {
    [this.#next, this.#before, this.#size] = [
      new Int32Array(n),
      new Int32Array(n),
      new Int32Array(n),
    ];
    [this.#cost, this.#left, this.#right, this.#sizes] = [
      new Float64Array(3 * n),
      new Int32Array(3 * n),
      new Int32Array(3 * n),
      new Int32Array(3 * n),
    ];
  }

  /** @param {number} cost @param {number} left @param {number} right */
  #push(cost, left, right) {
    if (!(cost === cost)) return;
    const costs = this.#cost;
    const lefts = this.#left;
    let at = this.#count++;
    while (at) {
      const up = (at - 1) >> 1;
      if (costs[up] < cost || (costs[up] === cost && lefts[up] < left)) break;
      this.#move(up, at);
      at = up;
    }
    costs[at] = cost;
    lefts[at] = left;
    this.#right[at] = right;
    this.#sizes[at] = this.#size[left] + this.#size[right];
  }

  #pop() {
    const last = --this.#count;
    const costs = this.#cost;
    const lefts = this.#left;
    const cost = costs[last];
    const left = lefts[last];
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= last) break;
      if (
        down + 1 < last &&
        (costs[down + 1] < costs[down] ||
          (costs[down + 1] === costs[down] && lefts[down + 1] < lefts[down]))
      )
        down++;
      if (cost < costs[down] || (cost === costs[down] && left < lefts[down])) break;
      this.#move(down, at);
      at = down;
    }
    this.#move(last, at);
  }

  /** @param {number} from @param {number} to */
  #move(from, to) {
    this.#cost[to] = this.#cost[from];
    this.#left[to] = this.#left[from];
    this.#right[to] = this.#right[from];
    this.#sizes[to] = this.#sizes[from];
  }
}

/** For words that are merged in a single step. */
const shared = new Merger();

/** As Merger.run, which others may call between two steps. @type {Merger['run']} */
export const merge = (n, ...how) => (n < STEP ? shared : new Merger()).run(n, ...how);
