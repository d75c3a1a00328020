/** All heads as switches, shaded by the harm that it does to change each of them alone. */
import { colourAt, isDark } from '../../plot/colour.js';
import { html } from '../../plot/dom.js';
import { oneStop } from '../../plot/one-stop.js';
import { percent } from '../look/words.js';

/** @typedef {import('../look/story.js').Head} Head */

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
        const name = `${layer}.${head}`;
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
   * @param {ReadonlyMap<string, number>} harm by head: the share of its chance that a word loses
   */
  show(chosen, harm) {
    for (const [name, button] of this.buttons) {
      const lost = harm.get(name);
      button.setAttribute('aria-pressed', String(chosen.includes(name)));
      button.dataset.value = String(lost);
      const shade = lost === undefined ? 0 : Math.max(0, lost);
      button.style.setProperty(
        '--shade',
        lost === undefined ? '' : colourAt('weights', isDark(), shade),
      );
      button.classList.toggle('dark', shade > 0.45);
      const said = lost === undefined ? '' : `: without it ${percent(Math.max(0, lost))} is lost`;
      button.setAttribute('aria-label', `Head ${name}${said}`);
    }
  }
}
