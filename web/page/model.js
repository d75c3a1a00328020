/**
 * The one model of the page, in a worker of its own. It is fetched when it is first asked for.
 * Panels take turns; a new turn ends the one before.
 */
import { KERNELS } from './engine.js';
import { ownModel, startModel } from './workers.js';

/** The name of the page's model. */
const OWN = 'stories';

/** @typedef {import('../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */
/** @typedef {import('../../src/js/model/types.d.ts').ModelSource} ModelSource */
/** @typedef {'idle' | 'loading' | 'ready' | 'absent' | 'failed'} Phase */

/**
 * A model in a worker of its own.
 * @param {ModelSource} source
 * @param {(progress: { loaded: number, total?: number }) => void} [onProgress]
 * @returns {Promise<RemoteModel>}
 */
export async function openModel(source, onProgress) {
  const { loadModel } = await import('../../src/js/worker/client.js');
  return loadModel(source, {
    worker: startModel,
    engine: KERNELS,
    ...(onProgress && { onProgress }),
  });
}

/** Whether the worker of a model is lost. The error may be of another worker. */
const isLost = (/** @type {RemoteModel} */ model) =>
  model.interventions().then(
    () => false,
    ({ code }) => code === 'ENV',
  );

export class SharedModel {
  constructor() {
    /** @type {Phase} */
    this.phase = 'idle';
    /** Shown to the reader. */
    this.name = OWN;
    /** Of the reader's own files; undefined: the page's model. @type {ModelSource | undefined} */
    this.source = undefined;
    /** Bytes, while it loads; the total is 0 where the server does not tell it. */
    this.progress = { loaded: 0, total: 0 };
    /** @type {(Error & { code?: string }) | undefined} */
    this.error = undefined;
    /** @type {Promise<RemoteModel> | undefined} */
    this.loading = undefined;
    /** @type {Set<(model: SharedModel) => void>} */
    this.listeners = new Set();
    /** The newest turn. It is busy until it is over, but not while it rests. */
    this.current = { abort: new AbortController(), over: Promise.resolve(), busy: false };
    /** @type {Set<() => void>} */
    this.waiters = new Set();
  }

  /** Calls back at each change of phase, progress or name. @param {(m: SharedModel) => void} f */
  on(f) {
    this.listeners.add(f);
    return () => void this.listeners.delete(f);
  }

  /** @param {Partial<Pick<SharedModel, 'phase' | 'name' | 'progress' | 'error'>>} change */
  tell(change) {
    Object.assign(this, change);
    for (const listener of this.listeners) listener(this);
  }

  /** For a reader who waits for it. */
  get waiting() {
    const { loaded, total } = this.progress;
    const kb = (/** @type {number} */ bytes) => Math.round(bytes / 1024);
    if (this.phase !== 'loading') return 'loading …';
    return `Loading the model: ${kb(loaded)}${total ? ` of ${kb(total)}` : ''} KB.`;
  }

  /** The model, loaded once. After a failure it is fetched anew. @returns {Promise<RemoteModel>} */
  load() {
    return (this.loading ??= this.loadOwn());
  }

  /** The page's model. A reader's own may take its place while it is on its way. */
  loadOwn() {
    this.tell({ phase: 'loading', progress: { loaded: 0, total: 0 }, error: undefined });
    const loading = openModel(ownModel(), ({ loaded, total = 0 }) =>
      this.tell({ progress: { loaded, total } }),
    ).then(
      (model) => {
        if (this.loading === loading) this.show(undefined, OWN);
        return model;
      },
      (error) => {
        if (this.loading === loading) {
          this.loading = undefined;
          this.fail(error);
        }
        throw error;
      },
    );
    return loading;
  }

  /**
   * Another model, from a reader's own file. The one before stays until this one is there. If the
   * file is refused, nothing has changed for the other panels.
   * @param {ModelSource} source @param {string} name
   */
  async replace(source, name) {
    const next = openModel(source);
    const model = await next;
    const before = this.loading;
    this.loading = next;
    this.current.abort.abort();
    await this.current.over;
    this.show(name === OWN ? undefined : source, name);
    before?.then(
      (old) => old.dispose(),
      () => {},
    );
    return model;
  }

  /** The page's model in the place of a reader's own. */
  async restore() {
    if (this.source) await this.replace(ownModel(), OWN);
  }

  /** A link has the name of a reader's own model. @param {import('./state.js').Store} store */
  mark(store) {
    const name = store.add('model', OWN, {
      parse: String,
      format: String,
      clamp: String,
      range: 'the name of a model',
    });
    this.on(() => name.follow(this.name));
    store.rule(() => {
      const asked = name.value.slice(0, 40);
      name.follow(this.name);
      if (asked !== this.name) return `it is of the model “${asked}”, and this is “${this.name}”`;
    });
  }

  /** @param {ModelSource | undefined} source @param {string} name */
  show(source, name) {
    this.source = source;
    this.tell({ phase: 'ready', name, error: undefined });
  }

  /** @param {Error & { code?: string }} error */
  fail(error) {
    const absent = error.code === 'NET' && error.message.includes('404');
    this.tell({ phase: absent ? 'absent' : 'failed', error });
  }

  /** The model that is there, also where it has taken the place of one that was waited for. */
  async present() {
    for (;;) {
      const loading = this.load();
      const model = await loading.catch((error) => {
        if (!this.loading || this.loading === loading) throw error;
      });
      if (model && this.loading === loading) return { model, loading };
    }
  }

  /**
   * A worker that is lost does not come back, nor does a reader's own model in it. The page's model
   * is fetched when one is asked for again.
   * @param {Promise<RemoteModel>} loading of the lost one @param {Error} error
   */
  lose(loading, error) {
    if (this.loading !== loading) return;
    Object.assign(this, { loading: undefined, source: undefined, name: OWN });
    this.fail(error);
  }

  /** Until no panel has the model, or the one that has it rests. @returns {Promise<void>} */
  async quiet() {
    while (this.current.busy) await new Promise((wake) => this.waiters.add(() => wake(undefined)));
  }

  /** @param {SharedModel['current']} turn @param {boolean} busy */
  setBusy(turn, busy) {
    turn.busy = busy;
    if (this.current.busy) return;
    for (const wake of this.waiters) wake();
    this.waiters.clear();
  }

  /**
   * The model to yourself. The turn before is told to end, and waited for.
   * @template T
   * @param {(model: RemoteModel, signal: AbortSignal, rest: (resting: boolean) => void) =>
   *   Promise<T>} run ends soon after the signal; it may tell that it rests, and goes on
   * @returns {Promise<T>}
   */
  async use(run) {
    const { model, loading } = await this.present();
    const before = this.current;
    const turn = { abort: new AbortController(), over: before.over, busy: true };
    const asked = (async () => {
      before.abort.abort();
      await before.over;
      try {
        return await run(model, turn.abort.signal, (resting) => this.setBusy(turn, !resting));
      } catch (/** @type {any} */ error) {
        if (error.code === 'ENV' && (await isLost(model))) this.lose(loading, error);
        throw error;
      }
    })();
    const end = () => this.setBusy(turn, false);
    turn.over = asked.then(end, end);
    this.current = turn;
    return asked;
  }
}
