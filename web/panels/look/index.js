/**
 * The look: a model writes a story, and every look of every head is on show. The first frame stands
 * in the page already; its tokens are read here again, and the story goes on from there.
 */
import { announce, html } from '../../plot/dom.js';
import { onFrame } from '../../page/frames.js';
import { codeOf } from './code.js';
import { controls } from './controls.js';
import { fitLink } from './fit.js';
import { firstFrame } from './hydrate.js';
import { Said } from './said.js';
import { rowsOf } from './saved.js';
import { checkedRow } from './send.js';
import { mostTelling } from './story.js';
import { TextView } from './text-view.js';
import { Board, Wall } from './wall.js';
import { aboutHeads, percent, plain, sentence } from './words.js';
import { Writer } from './writer.js';

/** @typedef {import('./story.js').Head} Head */
/** @typedef {import('./story.js').Story} Story */

/** Tokens of a story at most: a story of the page’s own model has 173 on average. */
const CAPACITY = 192;
/** Tokens a second: as fast as one reads along. */
const READING = 8;

/**
 * @param {HTMLElement} root
 * @param {import('../../page/panels.js').Context} context
 */
export function build(root, { state, row, model }) {
  root.classList.add('look');
  const first = firstFrame();
  /** The word that is pointed at. */
  let pointed = -1;
  let fast = false;
  const reduced = matchMedia('(prefers-reduced-motion: reduce)').matches;

  const writer = new Writer(
    model,
    { T: state.T.value, tau: state.tau.value, seed: state.seed.value, pace: READING },
    { capacity: CAPACITY, tell },
  );
  const said = new Said();
  const text = new TextView({ point, lock, leave: () => point(-1), release });
  const wall = new Wall(choose);
  const board = new Board(choose);
  const panel = controls(state, {
    play() {
      if (writer.phase === 'over') return again(true);
      if (!writer.playing) release();
      writer.play(!writer.playing);
    },
    step() {
      release();
      writer.step();
    },
    restart: () => again(true),
    fast: (on) => {
      fast = on;
      writer.set({ pace: on ? Infinity : READING });
    },
    retry: () => again(!reduced),
  });

  /** @param {boolean} playing */
  function again(playing) {
    release();
    const { T, tau, seed, prompt } = state;
    writer.set({ T: T.value, tau: tau.value, seed: seed.value });
    writer.start(prompt.value);
    writer.play(playing);
  }

  /** The head on show until the reader chooses one. */
  let telling = first?.head;

  /** @returns {Head} */
  function head() {
    const { story } = writer;
    const [layer, at] = state.head.value;
    if (!story) return { layer: 0, head: 0 };
    const chosen = { layer, head: at };
    if (story.has(chosen)) return chosen;
    return (telling = telling && story.has(telling) ? telling : mostTelling(story).head);
  }

  /** The word whose row is shown: pointed at, locked, or else the newest. */
  function here() {
    const last = (writer.story?.rows ?? 0) - 1;
    if (pointed >= 0) return Math.min(pointed, last);
    if (state.at.value >= 0) return Math.min(state.at.value, last);
    return !writer.playing && first && writer.story?.tokens.length === first.tokens.length
      ? Math.min(first.at, last)
      : last;
  }

  /** @param {number} i */
  function point(i) {
    pointed = i;
    draw();
  }

  /** @param {number} i */
  function lock(i) {
    const { story } = writer;
    if (!story || i < 0 || i >= story.rows) return;
    if (state.at.value === i) return release();
    writer.play(false);
    state.at.set(i);
    announce(`Locked. ${plain(sentence(story, head(), i, state.rest.value))}`);
  }

  function release() {
    if (state.at.value < 0 && pointed < 0) return;
    pointed = -1;
    if (state.at.value >= 0) announce('Released.');
    state.at.set(-1);
    draw();
  }

  /** @param {Head} chosen */
  function choose(chosen) {
    state.head.set([chosen.layer, chosen.head]);
  }

  /** The row on show is checked. A locked one goes through all panels. */
  async function send() {
    const i = here();
    const found = await checkedRow({ writer, model, said }, head(), i);
    if (found && state.at.value === i) row.set(found);
  }

  /** @param {'rows' | 'phase' | 'text' | 'error'} change */
  function tell(change) {
    if (change === 'error') said.nothing();
    if (change === 'text') wall.changed(writer.story?.rows ?? 0);
    if (change === 'rows' && writer.phase === 'reading') wall.changed(0);
    draw();
  }

  let awake = () => {};
  /** @type {Promise<void>} until its own rows are there, or will not be */
  const alive = new Promise((resolve) => (awake = resolve));
  /** @type {Story | undefined} */
  let built;
  let settled = '';
  const draw = onFrame([state.head, state.rest, state.at], () => {
    const { story } = writer;
    panel.show({ writer, model, fast });
    if (writer.error && !built) awake();
    // the first frame stays until all of its rows are there again
    if (!story?.rows || (!built && story.rows < story.tokens.length)) return;
    if (story !== built) {
      built = story;
      root.replaceChildren(
        panel.hint,
        text.element,
        panel.bar,
        html(
          'div',
          { class: 'look-below' },
          html('div', { class: 'look-left' }, panel.caption, wall.element),
          html('div', { class: 'look-side' }, said.element, board.element, panel.key, panel.status),
        ),
        panel.more,
      );
      panel.caption.textContent = aboutHeads(story);
      wall.build(story);
      board.build(story);
      awake();
    }
    fitLink(state, writer, story);
    const i = here();
    const chosen = head();
    const rest = state.rest.value;
    text.show(story);
    const parts = sentence(story, chosen, i, rest);
    text.shade(story.shown(chosen, i, rest), i, state.at.value === i, plain(parts));
    wall.paint();
    wall.mark(chosen, i, (each) => {
      const sharp = story.sharpness(each, i, rest);
      const name = `layer ${each.layer}, head ${each.head}`;
      return Number.isNaN(sharp) ? name : `${name}: ${percent(sharp)} sharp`;
    });
    board.show(story, i, rest, chosen);
    said.show(story, chosen, i, rest);
    const calm = ['paused', 'over'].includes(writer.phase);
    root.dataset.phase = writer.phase;
    root.dataset.tokens = String(story.tokens.length);
    const { T } = writer.settings;
    const key = [chosen.layer, chosen.head, i, state.at.value, story.tokens.length, T, calm].join();
    if (key === settled) return;
    settled = key;
    said.unchecked();
    if (calm) void send();
  });

  state.T.on(() => writer.set({ T: state.T.value }));
  state.tau.on(() => writer.set({ tau: state.tau.value }));
  state.seed.on(() => again(true));
  state.prompt.on(() => again(!reduced));
  model.on(() => draw());
  document.addEventListener('themechange', () => {
    wall.repaint();
    draw();
  });
  // it does not write where nobody sees it, and is back after another panel had the model
  let waiting = false;
  new IntersectionObserver((seen) => {
    const { isIntersecting } = seen[seen.length - 1];
    if (isIntersecting ? waiting : writer.playing) {
      waiting = !isIntersecting;
      writer.play(isIntersecting);
    } else if (isIntersecting && writer.phase === 'idle') writer.go();
  }).observe(root);

  // until the model is here, a page without a first frame has the beginning of the story
  if (!first) root.replaceChildren(html('p', { class: 'look-text' }, state.prompt.value));
  root.append(panel.status);
  writer.start(state.prompt.value, state.prompt.isDefault ? first?.tokens : undefined);
  if (!reduced && state.at.value < 0) writer.play(true);
  return {
    alive,
    reset: () => again(false),
    state: () => ({ text: writer.story?.text, head: head(), word: here() }),
    code: () =>
      codeOf(
        {
          tokens: writer.story?.tokens.slice(0, here() + 1) ?? [],
          ...head(),
          T: writer.settings.T,
        },
        model,
      ),
    exports: { csv: () => rowsOf(writer.story, head()) },
  };
}
