/** Whether a text gives the tokens that it was made of. */
import { textOf } from './code.js';

/** @typedef {import('../../page/model.js').SharedModel} SharedModel */
/** @typedef {import('./writing/story.js').Token} Token */

/** @param {readonly Token[]} tokens */
const idsOf = (tokens) => tokens.map(({ id }) => id).join();

/** Code has the text in the place of its tokens, where the text alone gives them. */
export class Spelled {
  /** @param {Pick<SharedModel, 'load'>} model */
  constructor(model) {
    this.model = model;
    /** The tokens that were asked about last. */
    this.asked = '';
    /** Whether their text gives them. */
    this.same = false;
  }

  /** The text, if it is known to give these tokens. @param {readonly Token[]} tokens */
  text(tokens) {
    return this.same && this.asked === idsOf(tokens) ? textOf(tokens) : undefined;
  }

  /**
   * A model may write a word in other pieces than its tokenizer, so the tokenizer is asked.
   * @param {readonly Token[]} tokens
   */
  async read(tokens) {
    const asked = idsOf(tokens);
    if (asked === this.asked) return;
    Object.assign(this, { asked, same: false });
    const { tokenizer } = await this.model.load();
    const ids = await tokenizer?.encode(textOf(tokens));
    if (asked !== this.asked || !ids) return;
    this.same = Array.from(ids).join() === asked;
    // it may be shorter where it is on show
    document.dispatchEvent(new Event('code'));
  }
}
