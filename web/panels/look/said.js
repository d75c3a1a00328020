/** The live sentence, the count of sharp heads, and the verdict on the row that they speak of. */
import { html, setText } from '../../plot/dom.js';
import { Statement } from '../../page/statement.js';
import { verdicts } from '../../page/layout.js';
import { budget, checkRow, scores, softmax } from './check.js';
import { countOfSharp, sentence, sharpHeads } from './words.js';

/** @typedef {import('./story.js').Story} Story */
/** @typedef {import('./story.js').Head} Head */

export class Said {
  constructor() {
    this.sentence = html('p', { class: 'look-said' });
    this.count = html('p', { class: 'look-count' });
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
    this.tick = html('p', { class: 'tick', 'data-depth': 'look' });
    this.element = html(
      'div',
      { class: 'look-words' },
      this.sentence,
      this.count,
      this.tick,
      verdicts([this.row, this.budget]),
    );
  }

  /** @param {Story} story @param {Head} head @param {number} i @param {boolean} rest */
  show(story, head, i, rest) {
    const parts = sentence(story, head, i, rest).map((part) =>
      typeof part === 'string' ? part : html('strong', { 'data-value': part.value }, part.strong),
    );
    this.sentence.replaceChildren(...parts);
    this.count.dataset.value = String(sharpHeads(story, i, rest));
    setText(this.count, countOfSharp(story, i, rest));
  }

  /** There is no model, so nothing is compared. */
  nothing() {
    for (const statement of [this.row, this.budget]) statement.nothing('there is no model');
  }

  /** The row has changed since it was checked. */
  unchecked() {
    setText(this.tick, '');
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
}
