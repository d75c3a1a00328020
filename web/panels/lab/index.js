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
import { fitWord } from './state.js';
import { Twin } from './twin.js';
import { View } from './view.js';

/** @typedef {import('../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */
/** @typedef {(remote: RemoteModel, signal: AbortSignal) => Promise<void>} Act */

/**
 * @param {HTMLElement} root
 * @param {import('../../page/panels.js').Context} context
 */
export function build(root, { state, model, lab }) {
  root.classList.add('lab');
  const checks = new Checks();
  const twin = new Twin(state, lab, model);
  const work = new Work(root, state, model, { checks, twin });
  const { view, session } = work;
  root.replaceChildren(...view.laidOut(checks));
  work.listen();
  onSight(root, (visible) => {
    if (visible) work.begin();
  });
  return {
    reset: () => {
      work.forgetTrials();
      work.catchUp();
      void view.own.restore();
    },
    code: () => codeOf(state, session.asked, model),
    state: () => ({
      heads: state.heads.value,
      how: state.how.value,
      hidden: state.hidden.value,
      push: state.push.value,
      shuffled: twin.mix,
      chances: Object.fromEntries(session.without),
      explained: session.explained,
    }),
  };
}

/** The turns with the model that the reader's changes ask for. */
class Work {
  /**
   * @param {HTMLElement} root @param {import('./view.js').State} state
   * @param {import('../../page/model.js').SharedModel} model
   * @param {{ checks: Checks, twin: Twin }} parts
   */
  constructor(root, state, model, { checks, twin }) {
    this.root = root;
    this.state = state;
    this.model = model;
    this.checks = checks;
    this.session = new Session(state, checks, twin);
    this.seen = false;
    /** Whether the last turn failed, or another panel ended it. */
    this.stopped = false;
    /** The turn that is under way. @type {object | undefined} */
    this.request = undefined;
    /** Of the shared model, as it was when it last answered. @type {unknown} */
    this.answered = undefined;
    /** @type {AbortController | undefined} */
    this.trying = undefined;
    this.view = new View(root, state, model, {
      tryAll: () => (this.trying ? this.trying.abort() : void this.tryEach()),
      again: () => {
        this.view.tell('');
        this.catchUp();
      },
    });
    this.draw = onFrame([state.heads], () => this.redraw());
  }

  listen() {
    const { model, session } = this;
    const { prompt, how, shuffle, seed, hidden, whose, word, layers: _, ...others } = this.state;
    // other words stand at the places
    prompt.on(() => {
      hidden.set([]);
      whose.set('first');
      word.set(-1);
      this.catchUp();
    });
    for (const signal of [hidden, whose, word, ...Object.values(others)])
      signal.on(() => this.catchUp());
    // a trial is of one kind and of one model
    for (const signal of [how, shuffle, seed])
      signal.on(() => {
        this.forgetTrials();
        this.catchUp();
      });
    model.on(() => {
      this.draw();
      if (model.phase === 'ready' && (session.original || model.source)) this.catchUp();
    });
  }

  /** No head was tried alone. */
  forgetTrials() {
    this.trying?.abort();
    this.session.without.clear();
    this.view.tell('');
    this.draw();
  }

  /** Somebody looks. Another panel may have ended the last turn. */
  begin() {
    const first = !this.seen;
    this.seen = true;
    if (first || !this.request) this.catchUp();
  }

  /** The answers that are those of the present settings and model. */
  get there() {
    const { session, model, answered } = this;
    const told = session.told && answered === model.loading;
    return { told, explained: told && session.isExplained, checked: told && session.isChecked };
  }

  /** Asks for the answers that are missing. */
  catchUp() {
    const { session, seen, checks, there } = this;
    if (!seen) return;
    const count = session.told ? session.changed?.story.length : undefined;
    // when the whole link has been read, which takes away what was said of another one
    if (count !== undefined) queueMicrotask(() => fitWord(this.state, count));
    if (there.explained && there.checked) {
      checks.restore();
      return this.draw();
    }
    checks.wait(there);
    void this.run((remote, signal) => session.answer(remote, signal, () => this.draw()));
  }

  /** A turn with the model. @param {Act} act */
  async run(act) {
    const { model, session, view, checks } = this;
    const request = (this.request = {});
    this.stopped = false;
    this.draw();
    let over = false;
    try {
      await model.use(async (remote, signal) => {
        try {
          const fresh = await session.prepare(remote, signal);
          if (fresh) view.arrived(remote.config, session.original);
          if (!signal.aborted) {
            this.answered = model.loading;
            await act(remote, signal);
          }
        } finally {
          await change(remote, NONE);
        }
        over = !signal.aborted;
      });
    } catch (error) {
      const { message, code } = /** @type {Error & { code?: string }} */ (error);
      // the worker that is lost may be that of the shuffled model
      if (code === 'ENV') session.twin.drop();
      view.tell(model.phase === 'absent' ? 'The model is not here.' : message, true);
    }
    if (this.request !== request) return;
    this.request = undefined;
    this.stopped = !over;
    if (over) this.catchUp();
    else checks.giveUp();
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
    if (signal.aborted) return view.tell(without.size ? `Stopped: ${tried()}.` : '');
    const [worst] = [...without].sort(([, a], [, b]) => a - b);
    view.tell(
      `Head ${worst[0]} matters most here. With it ${this.state.how.value} and no other change, ` +
        `a word of the first story has a chance of ${percent(worst[1])} instead of ` +
        `${percent(session.whole)}, on average.`,
    );
  }

  redraw() {
    const { session, stopped, model, root, view, there } = this;
    busy(root, !session.original && !stopped);
    view.show(session, {
      ...there,
      waiting: stopped ? '' : session.original ? 'Writing the story …' : model.waiting,
    });
  }
}
