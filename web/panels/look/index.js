/**
 * The look: a model writes a story, and every look of every head is on show. The first frame stands
 * in the page already; its tokens are read here again, and the story goes on from there.
 */
import { onFrame, sparing } from '../../page/frames.js';
import { columns, paragraph } from '../../page/layout.js';
import { keepUnderHand } from '../../page/place.js';
import { privateFlag } from '../../page/signal.js';
import { Checking } from './checking.js';
import { codeOf } from './code.js';
import { Controls } from './controls.js';
import { fitLink } from './fit.js';
import { Said } from './said.js';
import { rowsOf } from './saved.js';
import { Selection } from './selection.js';
import { Sight } from './sight.js';
import { Spelled } from './spelled.js';
import { foretold, surprises } from './surprise.js';
import { TextView } from './text-view.js';
import { Board, Wall } from './wall.js';
import { aboutHeads, nameWithSharpness, plain, sentence } from './words.js';
import { Writer } from './writing/writer.js';

/** @typedef {import('./writing/story.js').Story} Story */
/** @typedef {import('./wall.js').Shown} Shown */

/** Tokens of a story at most: a story of the page’s own model has 173 on average. */
const CAPACITY = 192;
/** Tokens a second: as fast as one reads along. */
const READING = 8;

/**
 * @param {HTMLElement} root
 * @param {import('../../page/panels.js').Context} context
 */
export function build(root, context) {
  const look = new Look(root, context);
  look.listen();
  look.begin();
  const { writer, selection } = look;
  return {
    alive: look.alive,
    reset: () => look.reset(),
    state: () => ({
      text: writer.story?.text,
      head: selection.head,
      word: selection.word,
      surprise: surprises(writer.story),
    }),
    code: () => look.code(),
    exports: { csv: () => rowsOf(writer.story, selection.head) },
  };
}

class Look {
  /**
   * @param {HTMLElement} root
   * @param {import('../../page/panels.js').Context} context
   */
  constructor(root, { state, row, model }) {
    root.classList.add('look');
    this.root = root;
    this.state = /** @type {ReturnType<typeof import('./state.js').state>} */ (state);
    this.model = model;
    this.reduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
    /** Whether it writes as fast as it can. */
    this.fast = privateFlag();
    this.awake = () => {};
    /** @type {Promise<void>} until its own rows are there, or will not be */
    this.alive = new Promise((resolve) => (this.awake = resolve));
    /** @type {Story | undefined} the story that the maps are of */
    this.built = undefined;
    /** The row that the words show. @type {Shown | undefined} */
    this.shown = undefined;
    this.draw = onFrame([state.head, state.rest, state.at, state.bits], () => this.redraw());
    // a frame that has no time for the maps leaves them to the next one
    this.drawMaps = onFrame([], () => this.redrawMaps());
    this.drawSparing = sparing(this.draw);
    this.writer = new Writer(
      model,
      { T: state.T.value, tau: state.tau.value, seed: state.seed.value, pace: READING },
      { capacity: CAPACITY, tell: (change) => this.tell(change) },
    );
    this.sight = new Sight(this.writer, model);
    const selection = new Selection(this.state, this.writer, this.draw);
    this.selection = selection;
    this.said = new Said();
    this.spelled = new Spelled(model);
    this.checking = new Checking(
      { writer: this.writer, model, said: this.said, selection },
      (found) => row.set(found),
    );
    this.text = new TextView({
      point: (i) => selection.point(i),
      lock: (i) => selection.lock(i),
      leave: () => selection.point(-1),
      release: () => selection.release(),
    });
    this.wall = new Wall((head) => selection.choose(head));
    this.board = new Board((head) => selection.choose(head));
    this.controls = new Controls(this.state, this.fast, this.actions());
  }

  actions() {
    const { writer, selection } = this;
    return {
      play: () => {
        if (writer.phase === 'over') return this.again(true);
        if (!writer.playing) selection.release(true);
        writer.play(!writer.playing);
      },
      step: () => {
        selection.step();
        writer.step();
      },
      restart: () => this.again(true),
      retry: () => this.again(!this.reduced),
    };
  }

  listen() {
    const { state, writer, wall, root } = this;
    this.fast.on((on) => writer.set({ pace: on ? Infinity : READING }));
    state.T.on((T) => writer.set({ T }));
    // the row on show was read at another temperature
    state.T.on(() => this.checking.check());
    state.tau.on((tau) => writer.set({ tau }));
    state.seed.on(() => this.again(true));
    state.prompt.on(() => this.again(!this.reduced));
    this.model.on(() => this.draw());
    document.addEventListener('themechange', () => {
      wall.repaint();
      this.draw();
    });
    this.sight.follow(root);
  }

  /** Until the model is here, a page without a first frame has the beginning of the story. */
  begin() {
    const { root, state, writer, reduced } = this;
    const { first } = this.selection;
    const { prompt, at } = state;
    if (!first) root.replaceChildren(paragraph('look-text', prompt.value));
    root.append(this.controls.status);
    writer.start(prompt.value, prompt.isDefault ? first?.tokens : undefined);
    const plays = !reduced && at.value < 0;
    Object.assign(this.selection, { untouched: plays, flows: plays });
    if (plays) writer.play(true);
  }

  reset() {
    this.fast.set(false);
    this.again(false);
  }

  /** @param {boolean} playing */
  again(playing) {
    const { writer, state } = this;
    this.selection.release(playing);
    const { T, tau, seed, prompt } = state;
    writer.set({ T: T.value, tau: tau.value, seed: seed.value });
    writer.start(prompt.value);
    this.sight.play(playing);
  }

  /** @param {'rows' | 'phase' | 'text' | 'error'} change */
  tell(change) {
    const { writer, wall } = this;
    if (change === 'text' || change === 'rows') this.checking.changes++;
    if (change === 'error') this.checking.check();
    if (change === 'phase' && writer.phase === 'idle') void this.sight.comeBack();
    if (change === 'text') wall.changed(writer.story?.rows ?? 0);
    if (change === 'rows' && writer.phase === 'reading') wall.changed(0);
    // of the words that come as fast as they can, many are drawn at once
    if (change === 'text' && writer.phase === 'writing') this.drawSparing();
    else this.draw();
  }

  redraw() {
    const { root, writer, model, fast, built } = this;
    const { story } = writer;
    this.controls.show({ writer, model, fast: fast.value });
    if (writer.error && !built) this.awake();
    // the first frame stays until all of its rows are there again
    if (!story?.rows || (!built && story.rows < story.tokens.length)) return;
    if (story !== built) this.lay(story);
    fitLink(this.state, writer, story);
    keepUnderHand(this.controls.bar, () => this.show(story));
    Object.assign(root.dataset, { phase: writer.phase, tokens: String(story.tokens.length) });
    this.checking.check();
    if (['paused', 'over'].includes(writer.phase)) this.spelled.read(this.upToWord).catch(() => {});
    this.drawMaps();
  }

  /** The row of the words, on all maps and squares. It is read back if it still is on show. */
  redrawMaps() {
    const { shown, wall, board, said, checking } = this;
    if (!shown || shown.story !== this.built) return;
    const { story, head, i, rest, row } = shown;
    wall.paint();
    wall.mark(head, i, (each) => nameWithSharpness(story, each, i, rest));
    board.show(story, i, rest, head);
    if (row === checking.row && rest === this.state.rest.value) said.seen.look(this);
  }

  /** Maps of a new story, in the place of others or of the first frame. @param {Story} story */
  lay(story) {
    this.built = story;
    const { root, controls, text, wall, board, said } = this;
    const { hint, bar, caption, key, status, more } = controls;
    root.replaceChildren(
      hint,
      text.element,
      bar,
      columns([caption, wall.element], [said.element, board.element, board.scale, key, status]),
      more,
    );
    caption.textContent = aboutHeads(story);
    wall.build(story);
    board.build(story);
    this.awake();
  }

  /** The row on show: its words and its sentence. @param {Story} story */
  show(story) {
    const { text, state } = this;
    const { head, word: i } = this.selection;
    const [rest, T] = [state.rest.value, state.T.value];
    this.shown = { story, head, i, rest, row: this.checking.row };
    text.show(story);
    const said = [...sentence(story, head, i, rest)];
    if (state.bits.value) said.push(' ', ...foretold(story, i, T));
    text.shade(story.shown(head, i, rest), i, state.at.value === i, plain(said));
    text.underline(state.bits.value ? story.bits : undefined);
    text.element.classList.toggle('without-start', rest);
    this.said.show(story, head, i, { rest, T });
  }

  /** The tokens up to the word on show. */
  get upToWord() {
    return this.writer.story?.tokens.slice(0, this.selection.word + 1) ?? [];
  }

  code() {
    const { writer, selection, model, upToWord: tokens } = this;
    const bits = this.state.bits.value;
    const text = this.spelled.text(tokens);
    return codeOf({ tokens, text, ...selection.head, T: writer.settings.T, bits }, model);
  }
}
