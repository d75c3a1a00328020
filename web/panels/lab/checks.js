/** The statements of the lab. */
import { wait } from '../../page/layout.js';
import { Statement } from '../../page/statement.js';
import { largestDifference, largestPart, sumOfParts } from './explain.js';
import { moved } from './push.js';
import { lostNumbers } from './shuffle.js';

/** @typedef {import('./explain.js').Explained} Explained */
/** @typedef {import('./push.js').Push} Push */

/**
 * The numbers of a file whose matrices were shuffled, beside those of the trained one.
 * @param {Pick<import('./twin.js').Mix, 'lost' | 'moved' | 'numbers'>} mix
 */
export const compareMix = ({ lost, moved, numbers }) => ({
  measured: lost,
  allowed: 0,
  ratio: lost || !moved ? Infinity : 0,
  text: `${moved} of ${numbers} numbers differ at their place, and ${lost} are lost`,
  data: { moved, numbers },
});

/** The sum of all bars, beside the score. @param {Pick<Explained, 'ledger' | 'score'>} explained */
export const compareBars = ({ ledger, score }) => ({
  measured: Math.abs(score - sumOfParts(ledger)),
  allowed: ledger.identity.allowed,
  size: largestPart(ledger),
});

/** Nothing is allowed. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export const compareBits = (a, b) => ({ measured: largestDifference(a, b), allowed: 0 });

export class Checks {
  constructor() {
    this.same = new Statement({
      id: 'lab-same',
      claim: 'heads that are multiplied by 1 change no bit',
      allowance: 'Nothing is allowed: the same numbers are computed in the same order.',
      oracles: [largestDifference],
    });
    this.push = new Statement({
      id: 'lab-push',
      claim: 'the push moves the stream by its strength times its direction',
      allowance: 'Two roundings of each number: of the product and of the sum, with u = 2⁻²⁴.',
      oracles: [moved],
    });
    this.lens = new Statement({
      id: 'lab-lens',
      claim: 'after the last layer the lens is the model’s own answer',
      allowance: 'Nothing is allowed: the same numbers are computed in the same order.',
      oracles: [largestDifference],
    });
    this.ledger = new Statement({
      id: 'lab-ledger',
      claim: 'the bars add up to the word’s score',
      allowance:
        'The bound is the sum of all roundings in float32. In a quantised model the last product ' +
        'has inputs of 8 bits. Their rounding is a bar of its own.',
      oracles: [sumOfParts],
    });
    this.shuffle = new Statement({
      id: 'lab-shuffle',
      claim: 'each shuffled matrix has the numbers of the trained one, and each norm stays',
      allowance: 'No number may be lost: sorted, the two are compared one by one.',
      oracles: [lostNumbers],
    });
    this.all = [this.same, this.push, this.shuffle, this.lens, this.ledger];
    this.all.forEach((each) => each.nothing('no word is read yet'));
    /** How the last answers are shown. @type {Map<string, () => void>} */
    this.last = new Map();
  }

  /** Shows an answer, and keeps it. @param {string} name @param {() => void} show */
  #answer(name, show) {
    this.last.set(name, show);
    show();
  }

  /**
   * Verdicts of other settings are not shown.
   * @param {{ explained: boolean, checked: boolean }} there
   */
  wait({ explained, checked }) {
    if (!explained) wait([this.lens, this.ledger]);
    if (!checked) wait([this.same, this.push, this.shuffle]);
  }

  /** The last answers are those of the present settings, after all. */
  restore() {
    if (this.all.some(({ element }) => element.dataset.verdict === 'waiting'))
      for (const show of this.last.values()) show();
  }

  /** No answer will come. */
  giveUp() {
    for (const each of this.all)
      if (each.element.dataset.verdict === 'waiting') each.nothing('the model did not answer');
  }

  /** @param {ArrayLike<number> | undefined} logs the first ones, where heads are pressed */
  showSame(logs, /** @type {ArrayLike<number>} */ again) {
    this.#answer('same', () => {
      if (!logs) this.same.nothing('no head is pressed');
      else this.same.show(compareBits(logs, again));
    });
  }

  /** @param {Push | undefined} push @param {[Float32Array, Float32Array]} [streams] */
  showPush(push, streams) {
    this.#answer('push', () => {
      if (push && streams) this.push.show(moved(...streams, push));
      else this.push.nothing('the push is 0');
    });
  }

  /** @param {import('./twin.js').Mix | undefined} mix */
  showShuffle(mix) {
    this.#answer('shuffle', () => {
      if (mix) this.shuffle.show(compareMix(mix));
      else this.shuffle.nothing('the weights are as they were trained');
    });
  }

  /** @param {Explained} explained */
  showExplained(explained) {
    this.#answer('explained', () => {
      this.lens.show({ measured: explained.apart, allowed: 0 });
      this.ledger.show(compareBars(explained));
    });
  }
}
