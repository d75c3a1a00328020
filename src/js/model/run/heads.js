/**
 * Questions about all heads of a model. The modules of inspect that answer them are loaded here, in
 * model.js and in generate.js when they are first needed. They are many, and programs that only
 * generate text never need them.
 */
import { rank } from './rank.js';

/** See Heads in inspect/heads-types.d.ts. */
export class Heads {
  #model;

  /** @param {import('./model.js').Model} model */
  constructor(model) {
    this.#model = model;
  }

  /** Model.rank. @param {unknown} query @param {unknown} passages @param {unknown} [options] */
  async rank(query, passages, options) {
    return rank(this.#model, query, passages, options);
  }

  /** @param {unknown} [options] */
  async scores(options) {
    return (await import('../inspect/heads.js')).scores(this.#model, options);
  }

  /** @param {unknown} promptsA @param {unknown} promptsB @param {unknown} [options] */
  async fingerprint(promptsA, promptsB, options) {
    const module = await import('./compare-heads.js');
    return module.fingerprint(this.#model, promptsA, promptsB, options);
  }
}
