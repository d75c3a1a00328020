/** Words of a story: those that changed, those that are hidden, and the one that is explained. */
import { html } from '../../plot/dom.js';
import { percent } from '../../plot/format.js';
import { oneStop } from '../../plot/one-stop.js';
import { spaced } from '../look/words.js';
import { newTokens } from './align.js';

/** @typedef {import('../look/writing/story.js').Token} Token */

const beginning = (/** @type {readonly Token[]} */ prompt) =>
  html('span', { class: 'cold-prompt' }, prompt.map(({ text }) => text).join(''));

/** @typedef {'off' | 'blind'} How pressed heads are changed */
/** @typedef {{ heads: number, how: How, hidden: number, pushed: boolean,
 *   shuffled: boolean }} Made */

/**
 * How likely the words of the story still are, in a sentence. The average is the geometric mean.
 * @param {Made & { now: number, all: number, same: boolean }} of same: the new story is the first
 */
export function lost({ heads, how, hidden, pushed, shuffled, now, all, same }) {
  const share = (/** @type {number} */ p) => html('strong', { 'data-value': p }, percent(p));
  if (!heads && !hidden && !pushed && !shuffled) {
    const first = 'A word of the first story had a chance of ';
    return [first, share(all), ', on average. Take a head away.'];
  }
  const isAsBefore = percent(now) === percent(all) && Math.abs(now - all) < 0.01 * all;
  const these = heads === 1 ? 'this head' : heads && `these ${heads} heads`;
  const blind = how === 'blind';
  const gone = [
    !blind && these,
    hidden === 1 ? 'this word' : hidden && `these ${hidden} words`,
  ].filter(Boolean);
  const made = [
    blind && these && `with ${these} blind`,
    gone.length && `without ${gone.join(' and ')}`,
    pushed && 'with this push',
    shuffled && 'with its weights shuffled',
  ]
    .filter(Boolean)
    .join(' and ');
  return [
    `${made[0].toUpperCase()}${made.slice(1)}, `,
    'the model gives a word of the first story a chance of ',
    share(now),
    ...(isAsBefore ? [', as before'] : [' instead of ', share(all)]),
    ', on average.',
    same ? ' The new story is the same' : '',
    same ? (isAsBefore ? ': this change does not matter here.' : '.') : '',
  ];
}

/** Words as buttons, which are one tab stop. */
class WordButtons {
  /** @param {HTMLElement} element @param {(i: number) => void} press */
  constructor(element, press) {
    this.element = element;
    this.press = press;
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
    this.renew = oneStop(element);
  }

  /** @param {number} i @param {string} text @param {boolean} [marked] */
  button(i, text, marked = false) {
    const name = text.trim() ? null : /\n/.test(text) ? 'a new line' : 'a space';
    const inner = marked ? html('mark', { class: 'lab-other' }, text) : text;
    const button = html(
      'button',
      { type: 'button', class: 'lab-word word-button', 'aria-label': name },
      inner,
    );
    button.addEventListener('click', () => this.press(i));
    return button;
  }

  /** @param {(i: number) => boolean} pressed */
  show(pressed) {
    this.buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(pressed(i))));
  }
}

/** The words of the prompt, each of which can be hidden. */
export class WordSwitches extends WordButtons {
  /** @param {(i: number) => void} toggle */
  constructor(toggle) {
    const about = {
      class: 'lab-words word-buttons',
      role: 'group',
      'aria-label': 'Words of the prompt',
    };
    super(html('div', about), toggle);
  }

  /** @param {readonly Token[]} prompt */
  build(prompt) {
    this.buttons = prompt.map(({ text }, i) =>
      this.button(i, text.trim() || (i ? 'space' : 'start')),
    );
    this.element.replaceChildren(...this.buttons);
    this.renew();
  }
}

/** The words of the story, one of which is explained. */
export class StoryWords extends WordButtons {
  /** @param {string} name @param {(i: number) => void} choose */
  constructor(name, choose) {
    super(html('p', { class: 'lab-story', role: 'group', 'aria-label': name }), choose);
    /** @type {readonly Token[] | undefined} */
    this.story = undefined;
  }

  /**
   * Words that are new beside another story are marked.
   * @param {readonly Token[]} prompt @param {readonly Token[]} story
   * @param {readonly Token[]} [other]
   */
  build(prompt, story, other = story) {
    if (this.story === story) return;
    this.story = story;
    const marked = newTokens(story, other);
    /** @type {(HTMLElement | string)[]} */
    const parts = [beginning(prompt)];
    this.buttons = story.map(({ text }, i) => {
      const { space, word } = spaced(text);
      const button = this.button(i, word, marked[i]);
      if (!word.trim()) button.setAttribute('aria-label', 'a space');
      // a line never breaks inside a word of several tokens
      const last = parts[parts.length - 1];
      if (space || i === 0 || typeof last === 'string')
        parts.push(space, html('span', { class: 'lab-whole' }, button));
      else last.append(button);
      return button;
    });
    this.element.replaceChildren(...parts);
    this.renew();
  }
}
