/** A row of weights as bars under their words. */
import { html } from '../../plot/dom.js';
import { percent } from '../../plot/format.js';

/** More bars would be too thin for their words. The largest are shown, in their order. */
const MAX_BARS = { wide: 12, narrow: 7 };

export class Bars {
  constructor() {
    this.element = html('ol', { class: 'cold-bars' });
    this.note = html('p', { class: 'look-key' });
  }

  /**
   * @param {readonly string[]} words @param {ArrayLike<number>} weights
   * @param {ArrayLike<number>} scores by which the words are chosen, so that they stay the same
   * @param {string} of the row, in a sentence
   */
  show(words, weights, scores, of) {
    const narrow = matchMedia('(max-width: 599px)').matches;
    const maxBars = narrow ? MAX_BARS.narrow : MAX_BARS.wide;
    const shown = Array.from(scores, (z, j) => ({ z, j }))
      .sort((a, b) => b.z - a.z || a.j - b.j)
      .slice(0, maxBars)
      .map(({ j }) => j)
      .sort((a, b) => a - b);
    const items = shown.map((j) => {
      const bar = html('span', { class: 'cold-bar', 'data-value': weights[j] });
      bar.style.setProperty('--p', String(weights[j]));
      return html(
        'li',
        {},
        html('span', { class: 'cold-share' }, percent(weights[j])),
        html('span', { class: 'cold-column' }, bar),
        html('span', { class: 'cold-word' }, words[j].trim() || (j ? 'space' : 'start')),
      );
    });
    this.element.replaceChildren(...items);
    const hidden = words.length - shown.length;
    const rest = Array.from(weights).reduce((sum, p, j) => (shown.includes(j) ? sum : sum + p), 0);
    const best =
      `The ${maxBars} best scores of ${words.length} words and pieces. ` +
      `Others share ${percent(rest)}.`;
    this.note.textContent = [of, hidden ? best : '', 'Shares are rounded.']
      .filter(Boolean)
      .join(' ');
  }
}
