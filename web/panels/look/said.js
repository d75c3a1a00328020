/** The live sentence, the count of sharp heads, and the verdict on the row that they speak of. */
import { html, setText } from '../../plot/dom.js';
import { Statement } from '../../page/statement.js';
import { verdicts } from '../../page/layout.js';
import { budget, checkBits, checkRow, scores, softmax } from './check.js';
import { Seen } from './seen/seen.js';
import { foretold, inBits } from './surprise.js';
import { countOfSharp, sentence, sharpHeads } from './words.js';

/** @typedef {import('./writing/story.js').Story} Story */
/** @typedef {import('./writing/story.js').Head} Head */

export class Said {
  constructor() {
    this.sentence = html('p', { class: 'look-said' });
    this.count = html('p', { class: 'look-count' });
    this.surprise = html('p', { class: 'look-surprise' });
    this.row = new Statement({
      id: 'look-row',
      claim: 'this row, computed again from its query and keys by other code, is the same',
      allowance:
        'Of a weight, the rounding of the scores is 2u·(d + 4)·Σ|q·k|/T. That of the sum is ' +
        'u·(n + 8). u = 2⁻²⁴.',
      oracles: [scores, softmax],
    });
    this.budget = new Statement({
      id: 'look-budget',
      claim: 'its sharpness is that of these weights',
      allowance:
        'The error of each weight counts |log p + 1| times. Log n, the mean score and the ' +
        'log-sum-exp may be rounded 8 times.',
      oracles: [budget],
    });
    this.foretold = new Statement({
      id: 'look-surprise',
      claim: 'the surprise of this word, from logits that are made once more, is the same',
      allowance:
        'The surprise is −log₂ p. Here p is the softmax of the model’s own logits, at sampling ' +
        'temperature 1 and at the token that came. Allowed for a sum of n numbers in float64: ' +
        '2⁻⁵²·(n + 8 + bits).',
      oracles: [softmax],
    });
    this.seen = new Seen();
    this.tick = html('p', { class: 'tick', 'data-depth': 'look' });
    this.element = html(
      'div',
      { class: 'look-words' },
      this.sentence,
      this.count,
      this.surprise,
      this.tick,
      verdicts([this.row, this.budget, this.foretold, this.seen.statement]),
    );
  }

  /**
   * @param {Story} story @param {Head} head @param {number} i
   * @param {{ rest: boolean, T: number }} how
   */
  show(story, head, i, { rest, T }) {
    this.sentence.replaceChildren(...sentence(story, head, i, rest).map(shown));
    const deep = html('span', { 'data-depth': 'understand' }, ...inBits(story, i).map(shown));
    this.surprise.replaceChildren(...foretold(story, i, T).map(shown), deep);
    this.count.dataset.value = String(sharpHeads(story, i, rest));
    setText(this.count, countOfSharp(story, i, rest));
  }

  /** The row has changed since it was checked. @param {string} why it is not checked now, or '' */
  unchecked(why) {
    setText(this.tick, '');
    for (const statement of [this.row, this.budget, this.foretold])
      if (why) statement.nothing(why);
      else statement.wait();
  }

  /** @param {Parameters<typeof checkRow>[0]} row @returns {Float64Array} the scores */
  check(row) {
    const { z, weights, rho } = checkRow(row);
    const tie = weights.tie ? /** @type {const} */ ('none') : undefined;
    const same = !tie && weights.ratio <= 1;
    this.tick.dataset.state = tie ? 'off' : same ? 'holds' : 'violated';
    const finds = same ? '✓ A second program finds the same' : '✗ A second program finds other';
    setText(this.tick, tie ? '' : `${finds} shares.`);
    this.row.show({ ...weights, verdict: tie });
    this.budget.show({ ...rho, verdict: tie });
    return z;
  }

  /**
   * @param {number} bits as shown @param {number} id of the token
   * @param {import('./writing/ask-row.js').Before} before
   */
  checkSurprise(bits, id, { logits, missing = 'it is the first word' }) {
    if (!logits) return this.foretold.nothing(missing);
    this.foretold.show(checkBits(bits, logits, id));
  }
}

/** @param {string | { strong: string, value?: number }} part of a sentence */
const shown = (part) =>
  typeof part === 'string' ? part : html('strong', { 'data-value': part.value }, part.strong);
