/** Questions about all heads of a model. The module that answers loads when it is asked. */
import { TOOLS } from './tools.js';

/** See Heads in inspect/heads-types.d.ts. */
export class Heads {
  #model;

  /** @param {import('./model.js').Model} model */
  constructor(model) {
    this.#model = model;
  }

  /** Model.rank. @param {unknown} query @param {unknown} passages @param {unknown} [options] */
  async rank(query, passages, options) {
    return (await import('./rank.js')).rank(this.#model, query, passages, options);
  }

  /** @param {unknown} [options] */
  async scores(options) {
    return (await import('../inspect/heads.js')).scores(this.#model, TOOLS, options);
  }

  /** @param {unknown} promptsA @param {unknown} promptsB @param {unknown} [options] */
  async fingerprint(promptsA, promptsB, options) {
    const module = await import('./compare-heads.js');
    return module.fingerprint(this.#model, promptsA, promptsB, options);
  }
}
