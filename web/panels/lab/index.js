/**
 * The lab: heads are taken away, words are hidden or the model is pushed, and it tells its story
 * again. Each head can be tried alone, and each word of the story is explained. A model of the
 * reader's own takes the place of the page's.
 */
import { busy } from '../../page/chrome.js';
import { onFrame } from '../../page/frames.js';
import { onSight } from '../../page/layout.js';
import { percent } from '../../plot/format.js';
import { Checks } from './checks.js';
import { codeOf } from './code.js';
import { change, NONE } from './compute.js';
import { Session } from './session.js';
import { View } from './view.js';

/** @typedef {import('../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */
/** @typedef {(remote: RemoteModel, signal: AbortSignal) => Promise<void>} Act */

/**
 * @param {HTMLElement} root
 * @param {import('../../page/panels.js').Context} context
 */
export function build(root, { state, model }) {
  root.classList.add('lab');
  const checks = new Checks();
  const work = new Work(root, state, model, checks);
  const { view, session } = work;
  root.replaceChildren(...view.laidOut(checks));
  work.listen();
  onSight(root, (visible) => {
    if (visible) work.begin();
  });
  return {
    reset: view.own.restore,
    code: () => codeOf(state, session.word, model),
    state: () => ({
      heads: state.heads.value,
      how: state.how.value,
      hidden: state.hidden.value,
      push: state.push.value,
      chances: Object.fromEntries(session.without),
      explained: session.explained,
    }),
  };
}

/** The turns with the model that the reader's changes ask for. */
class Work {
  /**
   * @param {HTMLElement} root @param {import('./view.js').State} state
   * @param {import('../../page/model.js').SharedModel} model @param {Checks} checks
   */
  constructor(root, state, model, checks) {
    this.root = root;
    this.state = state;
    this.model = model;
    this.session = new Session(state, checks);
    this.seen = false;
    this.failed = false;
    /** @type {AbortController | undefined} */
    this.trying = undefined;
    this.view = new View(root, state, model, () =>
      this.trying ? this.trying.abort() : void this.tryEach(),
    );
    this.draw = onFrame([state.heads], () => this.redraw());
  }

  listen() {
    const { model, session } = this;
    const { prompt, heads, hidden, push, pushLayer, towards, from, word, against, how } =
      this.state;
    // other words stand at the places
    prompt.on(() => {
      hidden.set([]);
      word.set(-1);
      this.retell();
    });
    for (const signal of [heads, hidden, push]) signal.on(() => this.retell());
    for (const signal of [pushLayer, towards, from])
      signal.on(() => push.value > 0 && this.retell());
    for (const signal of [word, against]) signal.on(() => this.explain());
    how.on(() => {
      session.without.clear();
      this.retell();
    });
    model.on(() => {
      this.draw();
      if (model.phase === 'ready' && (session.original || model.source)) this.retell();
    });
  }

  /** Somebody looks. */
  begin() {
    if (this.seen) return;
    this.seen = true;
    this.retell();
  }

  retell() {
    if (this.seen) void this.run((remote, signal) => this.session.retell(remote, signal));
  }

  explain() {
    const { session, seen } = this;
    if (!seen) return;
    void this.run((remote, signal) =>
      session.changed ? session.explain(remote, signal) : session.retell(remote, signal),
    );
  }

  /** A turn with the model. @param {Act} act */
  async run(act) {
    const { model, session, view } = this;
    this.failed = false;
    try {
      await model.use(async (remote, signal) => {
        try {
          const fresh = await session.prepare(remote, signal);
          if (fresh) view.arrived(remote.config, session.original);
          if (!signal.aborted) await act(remote, signal);
        } finally {
          await change(remote, NONE);
        }
      });
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      view.tell(model.phase === 'absent' ? 'The model is not here.' : message);
      this.failed = true;
    }
    this.draw();
  }

  /** Each head alone, until the reader stops it or another turn begins. */
  async tryEach() {
    const stop = new AbortController();
    this.trying = stop;
    this.view.trying(true);
    await this.run((remote, signal) => this.sweep(remote, AbortSignal.any([signal, stop.signal])));
    this.trying = undefined;
    this.view.trying(false);
  }

  /** @type {Act} */
  async sweep(remote, signal) {
    const { session, view } = this;
    const { without } = session;
    const names = [...view.switches.buttons.keys()];
    const tried = () => `${without.size} of ${names.length} heads tried`;
    await session.sweep(remote, signal, names, () => {
      view.tell(tried());
      this.draw();
    });
    if (signal.aborted) return view.tell(`Stopped: ${tried()}.`);
    const [worst] = [...without].sort(([, a], [, b]) => a - b);
    view.tell(
      `Head ${worst[0]} matters most here. Without it a word has a chance of ` +
        `${percent(worst[1])} instead of ${percent(session.whole)}, on average.`,
    );
  }

  redraw() {
    const { session, failed, model, root, view } = this;
    busy(root, !session.original && !failed);
    view.show(session, failed ? '' : model.waiting);
  }
}
