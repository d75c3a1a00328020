/** The weights of a few keys by name, as bars that run across. */
import { html, setText } from '../../plot/dom.js';
import { hundredths } from '../../plot/format.js';

export class WordBars {
  /** @param {string} label */
  constructor(label) {
    this.element = html('dl', { class: 'word-bars', 'aria-label': label });
    /** @type {{ name: HTMLElement, bar: HTMLElement, value: HTMLElement }[]} */
    this.rows = [];
  }

  /** @param {readonly string[]} words @param {ArrayLike<number>} weights */
  show(words, weights) {
    while (this.rows.length < words.length) {
      const name = html('dt');
      const bar = html('span', { class: 'word-bar' });
      const value = html('data');
      this.element.append(html('div', {}, name, html('dd', {}, bar, value)));
      this.rows.push({ name, bar, value });
    }
    this.rows.forEach(({ name, bar, value }, j) => {
      const row = /** @type {HTMLElement} */ (name.parentElement);
      row.hidden = j >= words.length;
      if (row.hidden) return;
      setText(name, words[j]);
      bar.style.width = `${70 * weights[j]}%`;
      value.dataset.value = String(weights[j]);
      setText(value, hundredths(weights[j]));
    });
  }
}
