/**
 * Takes the place of random draws in the plots, and tries every choice in turn. The last choice
 * changes first.
 *
 *     const choices = new Choices();
 *     do attempt(choices);
 *     while (choices.next());
 */

/**
 * A list whose next element is chosen when it is taken. It has what the plots use of a list.
 * @template T
 */
class Shuffled {
  /** @param {readonly T[]} list @param {Choices} choices */
  constructor(list, choices) {
    this.rest = [...list];
    this.choices = choices;
  }

  pop() {
    return this.rest.length
      ? this.rest.splice(this.choices.below(this.rest.length), 1)[0]
      : undefined;
  }

  *[Symbol.iterator]() {
    while (this.rest.length) yield this.pop();
  }
}

export class Choices {
  /** The choices of this attempt. @type {{ of: number, chosen: number }[]} */
  #made = [];
  #at = 0;

  /** @param {number} count */
  below(count) {
    this.#made[this.#at] ??= { of: count, chosen: 0 };
    return this.#made[this.#at++].chosen;
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  pick = (list) => list[this.below(list.length)];

  chance = () => this.below(2) === 0;

  /** @template T @param {readonly T[]} list */
  shuffled = (list) => /** @type {T[]} */ (/** @type {unknown} */ (new Shuffled(list, this)));

  /** Begins the next attempt. False where every choice was tried. */
  next() {
    this.#made.length = this.#at;
    this.#at = 0;
    for (let last; (last = this.#made.at(-1)); this.#made.pop())
      if (++last.chosen < last.of) return true;
    return false;
  }
}
