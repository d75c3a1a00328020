/** All heads as switches, shaded by the harm that it does to change each of them alone. */
import { headName } from '../../../src/js/model/inside/head-name.js';
import { colourAt, isDark } from '../../plot/colour.js';
import { html } from '../../plot/dom.js';
import { percent } from '../../plot/format.js';
import { oneStop } from '../../plot/one-stop.js';

/** @typedef {import('../look/writing/story.js').Head} Head */

export class HeadSwitches {
  /** @param {(name: string) => void} toggle */
  constructor(toggle) {
    this.toggle = toggle;
    this.heads = 1;
    this.element = html('div', {
      class: 'lab-heads',
      role: 'group',
      'aria-label': 'Heads. Press one to take it away.',
    });
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttons = new Map();
    this.renew = oneStop(this.element, () => this.heads);
  }

  /** @param {{ layers: number, heads: number }} shape */
  build({ layers, heads }) {
    this.heads = heads;
    this.buttons.clear();
    for (let layer = 0; layer < layers; layer++)
      for (let head = 0; head < heads; head++) {
        const name = headName({ layer, head });
        const button = html('button', { type: 'button', class: 'lab-head' }, name);
        button.addEventListener('click', () => this.toggle(name));
        this.buttons.set(name, button);
      }
    this.element.style.setProperty('--heads', String(heads));
    this.element.replaceChildren(...this.buttons.values());
    this.renew();
  }

  /**
   * @param {readonly string[]} chosen
   * @param {object} tried
   * @param {import('./words.js').How} tried.how
   * @param {ReadonlyMap<string, number>} tried.without by head: the mean chance of a word while it
   *   is changed
   * @param {number} tried.whole the mean chance with all heads
   */
  show(chosen, { how, without, whole }) {
    for (const [name, button] of this.buttons) {
      const chance = without.get(name);
      button.setAttribute('aria-pressed', String(chosen.includes(name)));
      button.dataset.value = String(chance);
      const shade = chance === undefined ? 0 : Math.max(0, 1 - chance / whole);
      button.style.setProperty(
        '--shade',
        chance === undefined ? '' : colourAt('weights', isDark(), shade),
      );
      button.classList.toggle('dark', shade > 0.45);
      const said = chance === undefined ? '' : `: with it ${how} a word has ${percent(chance)}`;
      button.setAttribute('aria-label', `Head ${name}${said}`);
    }
  }
}
