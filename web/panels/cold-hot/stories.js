/** One story, told on at four temperatures of the looks. */
import { button } from '../../page/controls.js';
import { block, paragraph, status } from '../../page/layout.js';
import { html, setText } from '../../plot/dom.js';
import { PROMPT } from '../look/state.js';
import { FOUR, tellAt } from './texts.js';

const NAMES = new Map([
  [0, 'T = 0: the best word alone'],
  [1, 'T = 1: as it was trained'],
  [4, 'T = 4: hot'],
  [Infinity, 'T = ∞: all words alike'],
]);
const LEAD =
  'The same story, told on at four temperatures. It always writes the likeliest word. Only its ' +
  'looks are colder or hotter.';

export class Stories {
  /**
   * @param {HTMLElement} root the panel, which says how far they are
   * @param {import('../../page/model.js').SharedModel} model
   * @param {() => void} again tells the stories that failed
   */
  constructor(root, model, again) {
    this.root = root;
    this.model = model;
    /** Whether all four are there to their ends. */
    this.told = false;
    /** The files of the model that told them. @type {unknown} */
    this.of = undefined;
    /** A telling begins when this one has ended. @type {Promise<unknown>} */
    this.newest = Promise.resolve();
    this.stories = FOUR.map((T) => {
      const text = html('span', { class: 'cold-text' });
      const element = html(
        'article',
        { class: 'cold-story', 'data-t': String(T) },
        html('h3', {}, NAMES.get(T) ?? ''),
        html('p', {}, html('span', { class: 'cold-prompt' }, PROMPT), text),
      );
      return { T, text, element };
    });
    this.element = block('cold-stories', ...this.stories.map(({ element }) => element));
    this.lead = paragraph('cold-lead', LEAD);
    this.said = status('look-status');
    this.again = button('try again', again);
    this.again.hidden = true;
    this.status = block('look-state', this.said, this.again);
  }

  /**
   * Tells all four, unless the model that is there has told them.
   * @param {(remote: import('./texts.js').RemoteModel) => Promise<void>} first
   * @returns {Promise<boolean>} false where the model does not tell them
   */
  tellAll(first) {
    const telling = this.newest.then(() => this.tellOnce(first));
    this.newest = telling;
    return telling;
  }

  /** @param {Parameters<Stories['tellAll']>[0]} first */
  async tellOnce(first) {
    const { model, root } = this;
    if (this.told && this.of === model.source) return true;
    this.told = false;
    let failed = false;
    root.dataset.told = 'false';
    root.dataset.telling = '';
    this.say('');
    try {
      await model.use(async (remote, signal) => {
        this.begin();
        await first(remote);
        await this.tellEach(remote, signal);
      });
    } catch (error) {
      failed = true;
      const { message } = /** @type {Error} */ (error);
      this.say(
        model.phase === 'absent' ? 'The model is not here, so no story is told.' : message,
        true,
      );
    }
    delete root.dataset.telling;
    root.dataset.told = String(this.told);
    return !failed;
  }

  /** The stories of another model go. */
  begin() {
    const { source, name } = this.model;
    this.of = source;
    setText(this.lead, source ? `${LEAD} The model is ${name}.` : LEAD);
    for (const { text, element } of this.stories) {
      setText(text, '');
      delete element.dataset.told;
    }
  }

  /** @param {string} text */
  say(text, failed = false) {
    setText(this.said, text);
    this.again.hidden = !failed;
  }

  /** @param {import('./texts.js').RemoteModel} remote @param {AbortSignal} signal */
  async tellEach(remote, signal) {
    for (const { T, text, element } of this.stories) {
      await tellAt(remote, signal, PROMPT, T, (written) => setText(text, written));
      if (signal.aborted) return;
      element.dataset.told = 'whole';
    }
    this.told = true;
  }
}
