/** Questions to the model that wait until it has read a text. */

/** @typedef {import('../../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */
/**
 * @typedef {object} Question
 * @property {(model: RemoteModel, signal: AbortSignal) => Promise<any>} question
 * @property {(answer: any) => void} answer
 */

export class Questions {
  constructor() {
    /** By their names. @type {Map<string, Question>} */
    this.waiting = new Map();
  }

  /**
   * A newer question takes the place of one of its name.
   * @template T
   * @param {string} name
   * @param {(model: RemoteModel, signal: AbortSignal) => Promise<T>} question
   * @returns {Promise<T | undefined>}
   */
  add(name, question) {
    this.waiting.get(name)?.answer(undefined);
    return new Promise((answer) => this.waiting.set(name, { question, answer }));
  }

  /**
   * Asks the next. False where none waits.
   * @param {RemoteModel} model @param {AbortSignal} signal
   */
  async askOne(model, signal) {
    const [next] = this.waiting;
    if (!next) return false;
    const [name, { question, answer }] = next;
    this.waiting.delete(name);
    answer(await question(model, signal));
    return true;
  }
}
