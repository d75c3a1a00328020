import { html, setText } from '../../plot/dom.js';
import { quoted } from './explained-view.js';

/** The heading of the first story. It leads to the explanation of one of its words. */
export class Heading {
  /** @param {() => void} go to the explanation */
  constructor(go) {
    const link = html('button', { type: 'button', class: 'link' }, 'below');
    link.addEventListener('click', go);
    this.sign = html('span', {}, '.');
    this.which = html('span');
    this.element = html(
      'h3',
      {},
      'The first story, as it was. Press a word to explain it ',
      html('span', { class: 'lab-below' }, link, this.sign),
      this.which,
    );
  }

  /** @param {string | undefined} word that is explained now */
  name(word) {
    setText(this.sign, word === undefined ? '.' : ',');
    setText(this.which, word === undefined ? '' : ` as ${quoted(word)} is now.`);
  }
}
