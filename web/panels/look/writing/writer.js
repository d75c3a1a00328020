/**
 * Reads a prompt and writes on. Between any two tokens it can be stopped, slowed or heated. Every
 * token that is on show has been read, so its rows are there.
 */
import { createSampler } from '../../../../src/js/model/sampling/sample.js';
import { beginningOf, fits, storyFor, textsOf } from './pieces.js';
import { Rate } from './rate.js';
import { askRow } from './ask-row.js';
import { Waker } from './waker.js';

/** @typedef {import('./story.js').Story} Story */
/** @typedef {import('../../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */
/** @typedef {import('./ask-row.js').Asked} Asked */
/** @typedef {import('./story.js').Head} Head */
/** @typedef {import('./story.js').Token} Token */

/**
 * @typedef {'idle' | 'reading' | 'writing' | 'paused' | 'over'} Phase
 * idle: nothing was asked for, or another panel has the model
 */
/** @typedef {'rows' | 'phase' | 'text' | 'error'} Change */
/** @typedef {{ text: string, tokens?: readonly Token[] | undefined }} Beginning */
/**
 * @typedef {object} Settings
 * @property {number} T attention temperature
 * @property {number} tau sampling temperature
 * @property {number} seed
 * @property {number} pace tokens a second; Infinity: as fast as it can
 */

/** Steps that are asked for at once while a text is read again. */
const CHUNK = 16;

export class Writer {
  /**
   * @param {Pick<import('../../../page/model.js').SharedModel, 'use'>} shared the model of the page
   * @param {Settings} settings
   * @param {{ capacity: number, tell: (change: Change) => void }} options
   */
  constructor(shared, settings, { capacity, tell }) {
    this.shared = shared;
    this.settings = { ...settings };
    this.maxTokens = capacity;
    this.tell = tell;
    /** @type {Story | undefined} */
    this.story = undefined;
    /** @type {Phase} */
    this.phase = 'idle';
    /** @type {Error | undefined} */
    this.error = undefined;
    this.playing = false;
    /** Tokens that were asked for one by one. */
    this.owed = 0;
    /** Whether the text to begin with was longer than the story may be. */
    this.cut = false;
    /** Where to begin anew. @type {Beginning | undefined} */
    this.asked = undefined;
    /** @type {{ head: Head, i: number, answer: (row: Asked | undefined) => void } | undefined} */
    this.wanted = undefined;
    this.running = false;
    /** Whether it asks for the model again after another panel. */
    this.resume = false;
    this.waker = new Waker();
    /** Tokens a second while nothing slows it. */
    this.rate = new Rate();
    /** Whether the text is at its end. */
    this.over = false;
    this.sampler = createSampler({ tau: settings.tau, seed: settings.seed });
  }

  /**
   * Begins with a text. Tokens that stand in the page already, perhaps of another model, go on.
   * @param {string} text @param {readonly Token[]} [tokens]
   */
  start(text, tokens) {
    this.asked = { text, tokens };
    this.go();
  }

  /** @param {boolean} playing */
  play(playing) {
    this.playing = playing;
    if (playing) this.owed = 0;
    if (this.running && this.signal?.aborted) this.resume = playing;
    this.go();
  }

  /** Writes one more token. */
  step() {
    this.playing = false;
    this.owed++;
    this.go();
  }

  /** @param {Partial<Settings>} settings */
  set(settings) {
    Object.assign(this.settings, settings);
    if ('tau' in settings || 'seed' in settings) {
      const { tau, seed } = this.settings;
      this.sampler = createSampler({ tau, seed });
    }
    this.go();
  }

  /**
   * A row, and the logits before its token. A newer request takes the place of one that waits.
   * @param {Head} head @param {number} i @returns {Promise<Asked | undefined>}
   */
  row(head, i) {
    this.wanted?.answer(undefined);
    return new Promise((answer) => {
      this.wanted = { head, i, answer };
      this.go();
    });
  }

  /** Takes the model, or goes on with it. */
  go() {
    if (this.running) return this.waker.wake();
    if (!this.story && !this.asked) return;
    this.running = true;
    this.error = undefined;
    this.shared
      .use((model, signal, rest) => this.run(model, signal, rest))
      .catch((error) => {
        this.error = error;
        this.tell('error');
      })
      .finally(() => {
        Object.assign(this, { running: false, playing: this.resume, resume: false });
        this.become('idle');
        if (this.playing) this.go();
      });
  }

  /** @param {Phase} phase */
  become(phase) {
    if (phase === this.phase) return;
    if (phase !== 'writing') this.rate.pause();
    this.phase = phase;
    this.tell('phase');
  }

  /** @param {RemoteModel} model @param {AbortSignal} signal @param {(on: boolean) => void} rest */
  async run(model, signal, rest) {
    signal.addEventListener('abort', () => this.waker.wake());
    this.signal = signal;
    if (!this.asked && !fits(this.story, model)) this.asked = { text: this.story?.text ?? '' };
    await model.cache.clear();
    const textOf = textsOf(model);
    let T = NaN;
    let read = 0;
    /** @type {Float32Array | undefined} */
    let logits;
    while (!signal.aborted) {
      if (this.asked) {
        const asked = this.asked;
        this.asked = undefined;
        await this.begin(model, asked);
        await model.cache.clear();
        read = 0;
      }
      const story = /** @type {Story} */ (this.story);
      if (!Object.is(T, this.settings.T)) {
        T = this.settings.T;
        // nothing else, whatever another panel has left
        await model.intervene([{ temperature: T }]);
        await model.cache.clear();
        read = 0;
      }
      if (read < story.tokens.length) {
        if (story.tokens.length - read > 1) this.become('reading');
        logits = await this.read(model, story, read);
        read = Math.min(read + CHUNK, story.tokens.length);
        continue;
      }
      if (this.wanted) {
        const { head, i, answer } = this.wanted;
        this.wanted = undefined;
        answer(i < read ? await askRow(model, head, i) : undefined);
        continue;
      }
      if (this.over) this.become('over');
      else if (!this.playing && !this.owed) this.become('paused');
      else {
        if (this.owed || (await this.waker.due(this.settings.pace))) {
          const before = /** @type {Float32Array} */ (logits);
          logits = (await this.write(model, story, before, textOf)) ?? before;
          read = story.tokens.length;
        }
        continue;
      }
      rest(true);
      await this.waker.wait();
      rest(false);
    }
  }

  /** @param {RemoteModel} model @param {Beginning} asked */
  async begin(model, asked) {
    if (!this.story || !fits(this.story, model)) this.story = storyFor(model, this.maxTokens);
    const { story } = this;
    const { tokens, cut } = await beginningOf(model, asked, story.capacity);
    story.clear();
    for (const token of tokens) story.add(token);
    Object.assign(this, { cut, over: false, owed: 0 });
    const { tau, seed } = this.settings;
    this.sampler = createSampler({ tau, seed });
    this.tell('text');
  }

  /**
   * Reads the next tokens, a chunk at most. Returns the logits behind the last of them.
   * @param {RemoteModel} model @param {Story} story @param {number} from
   */
  async read(model, story, from) {
    const tokens = story.tokens.slice(from, from + CHUNK);
    const answers = await Promise.all(
      tokens.map(({ id }) => model.step(id, { observe: 'weights' })),
    );
    answers.forEach(({ heads, logits }, at) => story.record(from + at, heads, logits));
    this.tell('rows');
    return answers[answers.length - 1].logits;
  }

  /**
   * Adds the next token with its rows. Returns the logits behind it, or nothing at the end.
   * @param {RemoteModel} model @param {Story} story @param {Float32Array} logits
   * @param {ReturnType<typeof textsOf>} textOf
   */
  async write(model, story, logits, textOf) {
    this.become('writing');
    if (this.owed || this.settings.pace < Infinity) this.rate.pause();
    else this.rate.tick();
    if (this.owed) this.owed--;
    const { token: id } = this.sampler.sample(logits);
    if (model.tokenizer?.ends.has(id) || story.full) {
      this.over = true;
      this.playing = false;
      return undefined;
    }
    // both are asked for at once, so that the page waits for the worker once a token
    const [text, answer] = await Promise.all([textOf(id), model.step(id, { observe: 'weights' })]);
    story.add({ id, text }, logits);
    story.record(story.tokens.length - 1, answer.heads);
    if (story.full) this.over = true;
    this.tell('text');
    return answer.logits;
  }
}
