import { html, setText } from '../../plot/dom.js';
import { quoted } from './explained-view.js';

/** The heading of the first story. It leads to the explanation of one of its words. */
export class Heading {
  /** @param {() => void} go to the explanation */
  constructor(go) {
    const link = html('button', { type: 'button', class: 'link' }, 'below');
    link.addEventListener('click', go);
    this.which = html('span', {}, '.');
    const together = html('span', {}, link, this.which);
    const words = 'The first story, as it was. Press a word to explain it ';
    this.element = html('h3', {}, words, together);
  }

  /** @param {string} word that is explained now */
  name(word) {
    setText(this.which, `, as ${quoted(word)} is now.`);
  }
}
