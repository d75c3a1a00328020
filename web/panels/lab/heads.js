/** All heads as switches, shaded by the harm that it does to change each of them alone. */
import { colourAt, isDark } from '../../plot/colour.js';
import { html } from '../../plot/dom.js';
import { percent } from '../look/words.js';

/** @typedef {import('../look/story.js').Head} Head */

export class HeadSwitches {
  /** @param {(name: string) => void} toggle */
  constructor(toggle) {
    this.toggle = toggle;
    this.element = html('div', {
      class: 'lab-heads',
      role: 'group',
      'aria-label': 'Heads. Press one to take it away.',
    });
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttons = new Map();
    this.element.addEventListener('keydown', (event) => this.key(event));
  }

  /** @param {{ layers: number, heads: number }} shape */
  build({ layers, heads }) {
    this.heads = heads;
    this.buttons.clear();
    for (let layer = 0; layer < layers; layer++)
      for (let head = 0; head < heads; head++) {
        const name = `${layer}.${head}`;
        const first = this.buttons.size === 0;
        const button = html(
          'button',
          { type: 'button', class: 'lab-head', 'aria-pressed': 'false', tabindex: first ? 0 : -1 },
          name,
        );
        button.addEventListener('click', () => this.toggle(name));
        this.buttons.set(name, button);
      }
    this.element.style.setProperty('--heads', String(heads));
    this.element.replaceChildren(...this.buttons.values());
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

  /** Arrow keys go from head to head; the heads are one tab stop. @param {KeyboardEvent} event */
  key(event) {
    const all = [...this.buttons.values()];
    const at = all.findIndex((button) => button === document.activeElement);
    const { heads = 1 } = this;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: heads, ArrowUp: -heads }[event.key];
    const next = step === undefined ? undefined : all[at + step];
    if (!next) return;
    event.preventDefault();
    for (const button of all) button.tabIndex = button === next ? 0 : -1;
    next.focus();
  }
}
