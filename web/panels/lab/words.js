/** Words of a story: those that changed, and those that a reader hides. */
import { html } from '../../plot/dom.js';
import { percent } from '../look/words.js';

/** @typedef {import('../look/story.js').Token} Token */

/**
 * The words of a story; those that another one has not at that place are marked.
 * @param {readonly Token[]} prompt @param {readonly Token[]} story @param {readonly Token[]} other
 */
export const words = (prompt, story, other) => [
  html('span', { class: 'cold-prompt' }, prompt.map(({ text }) => text).join('')),
  ...story.map(({ id, text }, i) =>
    id === other[i]?.id ? text : html('mark', { class: 'lab-other' }, text),
  ),
];

/**
 * How likely the words of the story still are, in a sentence.
 * @param {{ heads: number, hidden: number, now: number, all: number }} of
 */
export function lost({ heads, hidden, now, all }) {
  const share = (/** @type {number} */ p) => html('strong', { 'data-value': p }, percent(p));
  if (!heads && !hidden)
    return ['The model gives each word of its story ', share(all), '. Take a head away.'];
  const without = [
    heads === 1 ? 'this head' : heads && `these ${heads} heads`,
    hidden === 1 ? 'this word' : hidden && `these ${hidden} words`,
  ];
  return [
    `Without ${without.filter(Boolean).join(' and ')} each word of its story gets `,
    share(now),
    ' instead of ',
    share(all),
    '.',
  ];
}

/** The words of the prompt, each of which can be hidden. */
export class WordSwitches {
  /** @param {(i: number) => void} toggle */
  constructor(toggle) {
    this.toggle = toggle;
    this.element = html('div', {
      class: 'lab-words',
      role: 'group',
      'aria-label': 'Words of the prompt',
    });
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
  }

  /** @param {readonly Token[]} prompt */
  build(prompt) {
    this.buttons = prompt.map(({ text }, i) => {
      const button = html('button', { type: 'button', class: 'lab-word' }, text.trim() || '▸');
      button.addEventListener('click', () => this.toggle(i));
      return button;
    });
    this.element.replaceChildren(...this.buttons);
  }

  /** @param {readonly number[]} hidden */
  show(hidden) {
    this.buttons.forEach((button, i) =>
      button.setAttribute('aria-pressed', String(hidden.includes(i))),
    );
  }
}
