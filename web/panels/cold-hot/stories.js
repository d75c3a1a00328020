/** One story, told on at four temperatures of the looks. */
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

export class Stories {
  /**
   * @param {HTMLElement} root the panel, which says how far they are
   * @param {import('../../page/model.js').SharedModel} model
   */
  constructor(root, model) {
    this.root = root;
    this.model = model;
    this.told = false;
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
    this.lead = paragraph(
      'cold-lead',
      'The same story, told on at four temperatures. It always writes the likeliest word. Only ' +
        'its looks are colder or hotter.',
    );
    this.status = status('look-status');
  }

  /**
   * Tells all four, once.
   * @param {(remote: import('./texts.js').RemoteModel) => Promise<void>} first
   * @returns {Promise<boolean>} false where the model does not tell them
   */
  async tellAll(first) {
    if (this.told) return true;
    this.told = true;
    const { model, root } = this;
    let failed = false;
    root.dataset.telling = '';
    try {
      await model.use(async (remote, signal) => {
        await first(remote);
        await this.tellEach(remote, signal);
      });
      setText(this.status, '');
    } catch (error) {
      this.told = false;
      failed = true;
      setText(
        this.status,
        model.phase === 'absent' ? 'The model is not here, so no story is told.' : String(error),
      );
    }
    delete root.dataset.telling;
    root.dataset.told = String(this.told);
    return !failed;
  }

  /** @param {import('./texts.js').RemoteModel} remote @param {AbortSignal} signal */
  async tellEach(remote, signal) {
    for (const { T, text, element } of this.stories) {
      await tellAt(remote, signal, PROMPT, T, (written) => setText(text, written));
      if (signal.aborted) {
        this.told = false;
        return;
      }
      element.dataset.told = 'whole';
    }
  }
}
