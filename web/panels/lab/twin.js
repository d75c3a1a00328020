/** The page's model with its weights shuffled, in a worker of its own while it is wanted. */
import { openModel } from '../../page/model.js';
import { ownModel } from '../../page/workers.js';

/** @typedef {import('../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */
/**
 * @typedef {object} Mix
 * @property {number} seed
 * @property {number} matrices that were shuffled
 * @property {number} numbers in them
 * @property {number} lost numbers that the trained model has and this one has not
 * @property {number} moved places that have another number
 */

export class Twin {
  /**
   * @param {any} state @param {import('../../page/lab.js').Lab} lab
   * @param {import('../../page/model.js').SharedModel} shared
   */
  constructor(state, lab, shared) {
    this.state = state;
    this.lab = lab;
    this.shared = shared;
    /** @type {RemoteModel | undefined} */
    this.model = undefined;
    /** Of the model that is there. @type {Mix | undefined} */
    this.mix = undefined;
  }

  /** A model of the reader's own may be large, and is left as it is. */
  get possible() {
    return !this.shared.source;
  }

  /** Whether the reader wants it. */
  get wanted() {
    return this.possible && this.state.shuffle.value;
  }

  /** The settings that its answers depend on. */
  get key() {
    return this.wanted && this.state.seed.value;
  }

  /** The model that tells the changed story. @param {RemoteModel} trained */
  async teller(trained) {
    if (!this.wanted) {
      this.drop();
      return trained;
    }
    const seed = this.state.seed.value;
    if (this.model && this.mix?.seed === seed) return this.model;
    const asked = await this.lab.ask('lab', 'shuffled', [String(ownModel()), seed]);
    // of two requests only the newer one is answered, and the older turn is over
    if (!asked) return this.model ?? trained;
    const { bytes, ...mix } = asked;
    const model = await openModel(bytes);
    this.drop();
    Object.assign(this, { model, mix: { seed, ...mix } });
    return model;
  }

  drop() {
    this.model?.dispose();
    this.model = this.mix = undefined;
  }
}
