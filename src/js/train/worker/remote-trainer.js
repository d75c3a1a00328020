import { abortSignal, progressListener, read } from '../../check.js';
import { ClearheadError } from '../../errors.js';
import { ASYNC_DISPOSE } from '../../worker/link.js';

/**
 * @typedef {import('./client.d.ts').RemoteTrainer} Remote
 * @typedef {import('../types.d.ts').StepOptions} StepOptions
 */

/**
 * The arguments that may be arrays or have them.
 * @type {import('../../worker/arguments.js').Names}
 */
const NAMES = {
  evaluate: ['tokens'],
  heads: ['tokens'],
  restore: ['state'],
  setParameters: ['parameters'],
  step: ['tokens'],
};

/**
 * A trainer in a worker, see client.d.ts.
 * @implements {Remote}
 */
export class RemoteTrainer {
  /** Consoles print it, and a minified class has another name. */
  static name = 'RemoteTrainer';

  #link;
  #steps = 0;

  /**
   * @param {import('../../worker/link.js').Link} link
   * @param {Pick<Remote, 'config' | 'optimizer' | 'seed' | 'batch' | 'context' | 'parameterCount' |
   *   'engine' | 'steps'>} created
   */
  constructor(link, { config, optimizer, seed, batch, context, parameterCount, engine, steps }) {
    this.#link = link;
    this.#steps = steps;
    this.config = Object.freeze(config);
    this.optimizer = Object.freeze(optimizer);
    this.seed = seed;
    this.batch = batch;
    this.context = context;
    this.parameterCount = parameterCount;
    this.engine = Object.freeze(engine);
    Object.freeze(this);
  }

  get steps() {
    return this.#steps;
  }

  /** @param {string} f @param {unknown[]} values */
  async #call(f, ...values) {
    const { value, steps } = await this.#link.call(f, values, { names: NAMES });
    this.#steps = steps;
    return value;
  }

  /**
   * A call that a signal ends between two parts of its batch, or a listener that throws. The answer
   * of the worker counts, as only the worker knows whether that came before the end.
   * @param {string} f
   * @param {unknown} tokens
   * @param {StepOptions | undefined} options
   * @param {(keyof StepOptions)[]} names
   */
  async #pass(f, tokens, options, names) {
    const o = read('options', options, names);
    const { signal: given, onProgress: listener, ...rest } = o;
    const signal = abortSignal(given);
    const tell = progressListener(listener);
    signal?.throwIfAborted();
    const link = this.#link;
    const id = link.newId();
    const stop = () => link.stop(id);
    signal?.addEventListener('abort', stop, { once: true });
    /** @type {{ error: unknown } | undefined} */
    let thrown;
    const onProgress = (/** @type {import('../types.d.ts').StepProgress} */ progress) => {
      if (thrown) return;
      try {
        tell?.(progress);
      } catch (error) {
        thrown = { error };
        stop();
      }
    };
    try {
      const { value, steps } = await link.call(f, [tokens, rest], { id, names: NAMES, onProgress });
      this.#steps = steps;
      if (!thrown) return value;
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AbortError')) throw error;
      if (!thrown) throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
    throw thrown.error;
  }

  /** @type {Remote['step']} */
  step(tokens, options) {
    return this.#pass('step', tokens, options, ['targets', 'heads', 'signal', 'onProgress']);
  }

  /** @type {Remote['evaluate']} */
  evaluate(tokens, options) {
    return this.#pass('evaluate', tokens, options, ['targets', 'signal', 'onProgress']);
  }

  /** @type {Remote['heads']} */
  heads(tokens) {
    return this.#call('heads', tokens);
  }

  /** @type {Remote['parameters']} */
  parameters() {
    return this.#call('parameters');
  }

  /** @type {Remote['gradients']} */
  gradients() {
    return this.#call('gradients');
  }

  /** @type {Remote['setParameters']} */
  setParameters(parameters) {
    return this.#call('setParameters', parameters);
  }

  /** @type {Remote['state']} */
  state() {
    return this.#call('state');
  }

  /** @type {Remote['restore']} */
  restore(state) {
    return this.#call('restore', state);
  }

  /** @type {Remote['save']} */
  save(options) {
    return this.#call('save', options);
  }

  /** @type {Remote['checkpoint']} */
  checkpoint() {
    return this.#call('checkpoint');
  }

  /** @type {Remote['pause']} */
  pause() {
    return this.#call('pause');
  }

  /** @type {Remote['proceed']} */
  proceed() {
    return this.#call('proceed');
  }

  async dispose() {
    this.#link.end(new ClearheadError('DISPOSED', 'trainer is disposed of; expected a live one'));
  }

  [ASYNC_DISPOSE]() {
    return this.dispose();
  }
}
