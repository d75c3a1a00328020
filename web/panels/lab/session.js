/** The lab's work with the model: the story as it was, its change, and the words that are tried. */
import { tokensOf } from '../look/writing/pieces.js';
import { addNotice } from '../../page/notice.js';
import { chances, change, headOf, meanChance, NONE, tell } from './compute.js';
import { explain } from './explain.js';
import { difference, streamAt } from './push.js';
import { fitWord } from './state.js';

/** @typedef {import('../look/writing/story.js').Token} Token */
/** @typedef {import('../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */
/** @typedef {{ prompt: Token[], story: Token[], logs: number[] }} Told */
/** @typedef {import('./compute.js').Changes} Changes */

/** Tokens that are told. */
export const LENGTH = 40;

export class Session {
  /**
   * @param {any} state @param {import('./checks.js').Checks} checks
   * @param {import('./twin.js').Twin} twin
   */
  constructor(state, checks, twin) {
    this.state = state;
    this.checks = checks;
    this.twin = twin;
    /** @type {Map<string, number>} by head: the mean chance of a word without it */
    this.without = new Map();
    /** @type {RemoteModel | undefined} */
    this.of = undefined;
    this.begins = '';
    /** @type {Told | undefined} */
    this.original = undefined;
    /** @type {{ story: Token[], logs: number[], of: string } | undefined} */
    this.changed = undefined;
    /** @type {import('./explain.js').Explained | undefined} */
    this.explained = undefined;
    /** The settings and the word that were explained, and the settings that were checked. */
    this.explainedOf = this.checkedOf = '';
    /** @type {{ key: string, add: Float32Array } | undefined} */
    this.direction = undefined;
  }

  /** The settings that a story depends on. */
  get settings() {
    const { prompt, heads, how, hidden, push, pushLayer, towards, from } = this.state;
    const direction = push.value && [push.value, pushLayer.value, towards.value, from.value];
    const act = heads.value.length && [heads.value, how.value];
    return JSON.stringify([prompt.value, act, hidden.value, direction, this.twin.key]);
  }

  /** The settings that an explanation depends on. */
  get question() {
    const { story: _, ...asked } = this.asked;
    return JSON.stringify([this.settings, asked, this.state.against.value]);
  }

  /** Whether the story is that of the present settings. */
  get told() {
    return this.changed?.of === this.settings;
  }

  /** Whether the explanation is that of the present settings. */
  get isExplained() {
    return this.told && (!this.original?.story.length || this.explainedOf === this.question);
  }

  /** Whether the checks are those of the present settings. */
  get isChecked() {
    return this.told && this.checkedOf === this.settings;
  }

  /**
   * The story of all heads.
   * @param {RemoteModel} remote @param {AbortSignal} signal
   * @returns {Promise<boolean>} whether it is a new one
   */
  async prepare(remote, signal) {
    const begins = this.state.prompt.value;
    if (this.original && this.of === remote && this.begins === begins) {
      this.fit(remote.config, this.original);
      return false;
    }
    this.without.clear();
    this.changed = this.explained = this.direction = undefined;
    this.explainedOf = this.checkedOf = '';
    const prompt = await tokensOf(remote, begins, remote.info.context - LENGTH);
    await change(remote, NONE);
    const story = await tell(remote, signal, prompt, LENGTH);
    await remote.cache.clear();
    const logs = await chances(remote, signal, prompt, story);
    if (signal.aborted) return false;
    this.of = remote;
    this.begins = begins;
    this.original = { prompt, story, logs };
    this.fit(remote.config, this.original);
    return true;
  }

  /**
   * Settings that this model or this story does not have are left out, and named.
   * @param {{ layers: number, heads: number }} config @param {Told} original
   */
  fit({ layers, heads }, { prompt, story }) {
    const { state } = this;
    /** @type {string[]} */
    const gone = [];
    /** @type {(signal: any, name: string, has: (one: any) => boolean) => void} */
    const keep = (signal, name, has) => {
      const list = [signal.value].flat();
      const kept = list.filter(has);
      if (kept.length === list.length) return;
      gone.push(...list.filter((one) => !has(one)).map((one) => `${name} ${one}`));
      signal.set(Array.isArray(signal.value) ? kept : signal.initial);
    };
    keep(state.heads, 'head', (one) => headOf(one).layer < layers && headOf(one).head < heads);
    keep(state.hidden, 'prompt word', (one) => one < prompt.length);
    if (state.whose.value === 'first') keep(state.word, 'story word', (one) => one < story.length);
    const { value: layer, initial } = state.pushLayer;
    if (layer >= layers && layer !== initial) gone.push(`layer ${layer}`);
    state.layers.set(layers);
    state.pushLayer.set(layer);
    if (gone.length) addNotice('link', `The lab has no ${gone.join(', no ')}.`);
  }

  /**
   * Computes the direction where it is needed.
   * @param {RemoteModel} remote @returns {Promise<Changes>}
   */
  async changes(remote) {
    const { heads, how, hidden, push, pushLayer, towards, from } = this.state;
    const plain = { heads: heads.value.map(headOf), how: how.value, hidden: hidden.value };
    if (!push.value) return plain;
    const layer = pushLayer.value;
    const key = JSON.stringify([layer, towards.value, from.value, remote === this.of]);
    if (this.direction?.key !== key) {
      await change(remote, NONE);
      this.direction = {
        key,
        add: await difference(remote, towards.value, from.value, layer),
      };
    }
    return { ...plain, push: { layer, add: this.direction.add, gain: push.value } };
  }

  /**
   * Everything that is missing.
   * @param {RemoteModel} remote @param {AbortSignal} signal
   * @param {() => void} progress is called after each answer
   */
  async answer(remote, signal, progress) {
    if (!this.told) await this.retell(remote, signal);
    progress();
    if (!signal.aborted && !this.isExplained) await this.explain(remote, signal);
    progress();
    if (!signal.aborted && !this.isChecked) await this.check(remote, signal);
  }

  /** The story under the changes. @param {RemoteModel} remote @param {AbortSignal} signal */
  async retell(remote, signal) {
    if (!this.original) return;
    const of = this.settings;
    const { prompt, story } = this.original;
    const teller = await this.twin.teller(remote);
    await change(teller, await this.changes(teller));
    const words = await tell(teller, signal, prompt, LENGTH);
    await teller.cache.clear();
    const logs = await chances(teller, signal, prompt, story);
    if (signal.aborted) return;
    this.changed = { story: words, logs, of };
    fitWord(this.state, words.length);
  }

  /** @param {RemoteModel} remote @param {AbortSignal} signal */
  async check(remote, signal) {
    if (!this.original) return;
    const of = this.settings;
    const { prompt, story, logs: before } = this.original;
    const { heads, push } = await this.changes(remote);
    await change(remote, { heads, how: 'same', hidden: [] });
    const again = heads.length ? await chances(remote, signal, prompt, story) : [];
    if (signal.aborted) return;
    this.checks.showSame(heads.length ? before : undefined, again);
    this.checks.showShuffle(this.twin.mix);
    if (!push) this.checks.showPush(undefined);
    else {
      const ids = prompt.map(({ id }) => id);
      await change(remote, NONE);
      const still = await streamAt(remote, ids, push.layer);
      await change(remote, { ...NONE, push });
      const moved = await streamAt(remote, ids, push.layer);
      if (signal.aborted) return;
      this.checks.showPush(push, [still, moved]);
    }
    this.checkedOf = of;
  }

  /** The mean chance of a word of the story as it was. */
  get whole() {
    return meanChance(this.original?.logs ?? []);
  }

  /**
   * The chosen word, or that of the first story whose chance is nearest to a half.
   * @returns {{ whose: 'first' | 'changed', story: Token[], at: number }}
   */
  get asked() {
    const { word, whose } = this.state;
    const { story = [], logs = [] } = this.original ?? {};
    const told = whose.value === 'changed' ? this.changed?.story : story;
    if (told && word.value >= 0 && word.value < told.length)
      return { whose: whose.value, story: told, at: word.value };
    const doubt = logs.map((log) => Math.abs(Math.exp(log) - 0.5));
    return { whose: 'first', story, at: Math.max(0, doubt.indexOf(Math.min(...doubt))) };
  }

  /** @param {RemoteModel} remote @param {AbortSignal} signal */
  async explain(remote, signal) {
    if (!this.original?.story.length) return;
    const { prompt } = this.original;
    const { story, at } = this.asked;
    const of = this.question;
    const ids = [...prompt, ...story.slice(0, at + 1)].map(({ id }) => id);
    const teller = await this.twin.teller(remote);
    await change(teller, await this.changes(teller));
    const found = await explain(teller, ids, this.state.against.value === 'next');
    if (signal.aborted) return;
    this.explained = found;
    this.explainedOf = of;
    this.checks.showExplained(found);
  }

  /**
   * Each head alone.
   * @param {RemoteModel} remote @param {AbortSignal} signal
   * @param {readonly string[]} names @param {() => void} progress
   */
  async sweep(remote, signal, names, progress) {
    if (!this.original) return;
    const { prompt, story } = this.original;
    this.without.clear();
    for (const name of names) {
      await change(remote, { heads: [headOf(name)], how: this.state.how.value, hidden: [] });
      const found = await chances(remote, signal, prompt, story);
      if (signal.aborted) return;
      this.without.set(name, meanChance(found));
      progress();
    }
  }
}
