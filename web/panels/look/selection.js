/** The head and the word whose row is on show. */
import { announce } from '../../plot/dom.js';
import { lookAtSameWord } from './ending.js';
import { firstFrame } from './hydrate.js';
import { mostTelling } from './writing/story.js';
import { foretold } from './surprise.js';
import { newestWord, plain, sentence } from './words.js';

/** @typedef {import('./writing/story.js').Head} Head */

/** Tokens of a story that goes on by itself, while the word of the first frame stays on show. */
const FIRST_TOKENS = 32;

export class Selection {
  /**
   * @param {ReturnType<typeof import('./state.js').state>} state
   * @param {import('./writing/writer.js').Writer} writer
   * @param {() => void} draw
   */
  constructor(state, writer, draw) {
    this.state = state;
    this.writer = writer;
    this.draw = draw;
    this.first = firstFrame();
    /** The word that is pointed at. */
    this.pointed = -1;
    /** The head on show until the reader chooses one. */
    this.telling = this.first?.head;
    /**
     * The look at the end of a story. None: null, and not looked for: undefined.
     * @type {ReturnType<typeof lookAtSameWord> | null}
     */
    this.found = undefined;
    /** Whether a locked word keeps the head of the end. The reader has chosen none. */
    this.lent = false;
    /** Whether the story goes on by itself, and nobody has pressed anything yet. */
    this.untouched = false;
    /** Whether the newest words were written by themselves, and not step by step. */
    this.flows = false;
  }

  /** Of a story that wrote itself to its end. Another temperature does not look for it again. */
  get ending() {
    const { story, over } = this.writer;
    if (!story || !over || !this.flows) this.found = undefined;
    else if (this.found === undefined) this.found = lookAtSameWord(story) ?? null;
    return this.found;
  }

  /** @returns {Head} */
  get head() {
    const { story } = this.writer;
    const [layer, head] = this.state.head.value;
    if (!story) return { layer: 0, head: 0 };
    const chosen = { layer, head };
    if (story.has(chosen)) return chosen;
    const { telling, ending } = this;
    if (ending) return ending.head;
    if (telling && story.has(telling)) return telling;
    // nothing is told by the beginning of a text that is being read
    if (['idle', 'reading'].includes(this.writer.phase)) return { layer: 0, head: 0 };
    return (this.telling = mostTelling(story).head);
  }

  /**
   * The word whose row is shown: pointed at, locked, or else the newest. While the story flows it
   * is the newest whole word, and after a step the newest token. At its end it is the one before
   * the last word, if a head looks from there at the same word further up.
   */
  get word() {
    const { writer, first, pointed } = this;
    const locked = this.state.at.value;
    const last = (writer.story?.rows ?? 0) - 1;
    if (pointed >= 0) return Math.min(pointed, last);
    if (locked >= 0) return Math.min(locked, last);
    const more = (writer.story?.tokens.length ?? 0) - (first?.tokens.length ?? 0);
    const stays = this.untouched ? more < FIRST_TOKENS : !writer.playing && more === 0;
    if (first && stays) return Math.min(first.at, last);
    return writer.story && this.flows ? (this.ending?.i ?? newestWord(writer.story)) : last;
  }

  /** @param {Head} chosen */
  choose({ layer, head }) {
    this.lent = false;
    this.state.head.set([layer, head]);
  }

  /** @param {number} i */
  point(i) {
    this.pointed = i;
    this.draw();
  }

  /** @param {number} i */
  lock(i) {
    const { story } = this.writer;
    const { at, rest, T } = this.state;
    if (!story || i < 0 || i >= story.rows) return;
    if (at.value === i) return this.release();
    this.writer.play(false);
    this.#lend(story);
    at.set(i);
    const said = [
      ...sentence(story, this.head, i, rest.value),
      ' ',
      ...foretold(story, i, T.value),
    ];
    announce(`Locked. ${plain(said)}`);
  }

  /**
   * A word that is locked at the end keeps the head on show, so that a link has it.
   * @param {import('./writing/story.js').Story} story
   */
  #lend(story) {
    const [layer, head] = this.state.head.value;
    if (!this.ending || story.has({ layer, head })) return;
    this.choose(this.ending.head);
    this.lent = true;
  }

  /** The next token is shown as a step. At the end there is none. */
  step() {
    if (!this.writer.over) this.release(false);
  }

  /** @param {boolean} [flows] whether the story writes itself from now on */
  release(flows = this.flows) {
    const { at } = this.state;
    this.flows = flows;
    this.untouched = false;
    if (this.lent) this.choose({ layer: -1, head: -1 });
    if (at.value < 0 && this.pointed < 0) return;
    this.pointed = -1;
    if (at.value >= 0) announce('Released.');
    at.set(-1);
    this.draw();
  }
}
