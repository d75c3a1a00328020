/** The interventions of a model: one list, which is replaced and never changed. */
import { refuse } from '../../errors.js';
import { readEntries } from './entries.js';
import { Content } from './content.js';
import { headName } from './head-name.js';
import { checkLogits } from './overflow.js';
import { masking, writeMask } from './masks.js';
import { merge } from './merge.js';
import { editsOf } from './plan.js';

/**
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('./types.d.ts').Intervention} Intervention
 * @typedef {import('./entries.js').Entry} Entry
 * @typedef {import('./entries.js').Mean} Mean
 * @typedef {import('./masks.js').Masked} Masked
 * @typedef {import('./entries.js').Copy} Copy
 * @typedef {ReadonlyMap<Mean, Float32Array>} Means the mean z (heads, headDim) of each entry that
 *   sets heads to their mean
 */

/**
 * The temperature of each head, (layers, heads).
 * @param {ModelConfig} config
 * @param {Entry[]} entries
 */
function temperaturesOf({ layers, heads }, entries) {
  const table = new Float64Array(layers * heads).fill(1);
  for (const entry of entries)
    if (entry.kind === 'temperature')
      for (let layer = entry.layers[0]; layer < entry.layers[0] + entry.layers[1]; layer++) {
        const at = layer * heads + entry.heads[0];
        table.fill(entry.temperature, at, at + entry.heads[1]);
      }
  return table;
}

/** Between these temperatures T, float32 can represent T·log w of every weight w that matters. */
const [COLDEST, HOTTEST] = [1e-30, 1e30];

/**
 * A copy of an array, or of an object with arrays. Anything else is as it is.
 * @template T
 * @param {T} x
 * @returns {T}
 */
function copied(x) {
  /** @type {unknown} */
  let copy = x;
  if (Array.isArray(x)) copy = x.map(copied);
  else if (ArrayBuffer.isView(x))
    copy = /** @type {Float32Array} */ (/** @type {unknown} */ (x)).slice();
  else if (x && typeof x === 'object')
    copy = Object.fromEntries(Object.entries(x).map(([key, value]) => [key, copied(value)]));
  return /** @type {T} */ (copy);
}

/** An entry as it is now. Of a trace only the numbers that it uses. @param {Intervention} entry */
function kept(entry) {
  if (!('patch' in entry && entry.patch)) return Object.freeze(copied(entry));
  const { tokens, layers, positions, [entry.patch]: numbers } = entry.from;
  const from = { tokens, layers, positions, [entry.patch]: numbers };
  return Object.freeze(copied(/** @type {Intervention} */ ({ ...entry, from })));
}

/** Whether an entry changes nothing. @param {Entry} entry */
const isIdle = (entry) => entry.kind === 'gain' && entry.gain === 1;

export class Interventions {
  #config;
  /** One entry for each intervention of the list. */
  #all;
  /** The entries that change anything. */
  #entries;
  /** @type {Means | undefined} */
  #means;
  #prompt;
  #masks;

  /**
   * @param {ModelConfig} config
   * @param {readonly Intervention[]} list as the caller gave it
   * @param {Entry[]} entries the same, checked and with numbers for names
   * @param {Means} [means] none before a prompt is read
   * @param {readonly number[]} [prompt] the tokens that the means were measured over
   */
  constructor(config, list, entries, means, prompt) {
    this.#config = config;
    this.list = list;
    this.#all = entries;
    this.#entries = merge(entries.filter((entry) => !isIdle(entry)));
    this.#means = means;
    this.#prompt = prompt;
    this.temperatures = temperaturesOf(config, this.#entries);
    this.#masks = masking(config, this.#entries);
    /** Those that need a mean. */
    this.averaged = this.#entries.filter((entry) => entry.kind === 'mean');
    this.#checkRows();
    const others = this.#entries.filter(({ kind }) => kind !== 'temperature');
    /** Whether it changes more than temperatures. */
    this.acts = others.length > 0;
    this.content = new Content(this.acts ? [...others, ...(means?.values() ?? [])] : []);
  }

  /** @param {unknown} given @param {ModelConfig} config */
  static read(given, config) {
    const entries = readEntries(given, config);
    const list = /** @type {Intervention[]} */ (given).map(kept);
    return new Interventions(config, Object.freeze(list), entries);
  }

  /**
   * A list of the interventions that `keep` chooses, with others behind them.
   * @param {(entry: Intervention) => boolean} keep
   * @param {Intervention[]} others
   */
  changed(keep, others) {
    const list = Object.freeze([...this.list.filter(keep), ...others.map(Object.freeze)]);
    const kept = this.#all.filter((_, at) => keep(this.list[at]));
    const more = readEntries(others, this.#config);
    return new Interventions(this.#config, /** @type {readonly Intervention[]} */ (list), [
      ...kept,
      ...more,
    ]);
  }

  /**
   * Refuses given rows of weights in a head that is too cold or too hot. No scores in float32
   * could produce these weights there.
   */
  #checkRows() {
    for (const entry of this.#entries)
      if (entry.kind === 'rows')
        for (let h = entry.heads[0]; h < entry.heads[0] + entry.heads[1]; h++) {
          const t = this.temperatures[entry.layer * this.#config.heads + h];
          if (!(t >= COLDEST && t <= HOTTEST))
            refuse(
              'RANGE',
              `the temperature of ${headName({ layer: entry.layer, head: h }, 'long')}`,
              t,
              `one from ${COLDEST} to ${HOTTEST}, since its rows are given`,
            );
        }
  }

  /** Whether means are needed and not known. */
  get unsettled() {
    return !this.#means && this.averaged.length > 0;
  }

  /** The same list, in which entries that need a mean change nothing. */
  withoutMeans() {
    const others = this.#all.map((entry) =>
      entry.kind === 'mean' ? { ...entry, kind: /** @type {const} */ ('gain'), gain: 1 } : entry,
    );
    return new Interventions(this.#config, this.list, others);
  }

  /**
   * The same list, in which copies of z stand for the entries that need a mean, in their order.
   * @param {readonly number[]} positions neighbouring ones
   */
  measuring(positions) {
    const { headDim } = this.#config;
    /** @type {Copy[]} */
    const copies = [];
    const others = this.#all.map((entry) => {
      if (entry.kind !== 'mean') return entry;
      const { layer, heads } = entry;
      const numbers = new Float32Array(positions.length * heads[1] * headDim);
      const copy = /** @type {Copy} */ ({ kind: 'copy', layer, heads, positions, numbers });
      copies.push(copy);
      return copy;
    });
    return { list: new Interventions(this.#config, this.list, others), copies };
  }

  /** Whether the means are those over a prompt. @param {readonly number[]} ids */
  measuredOver(ids) {
    const prompt = this.#prompt;
    return prompt?.length === ids.length && prompt.every((id, at) => id === ids[at]);
  }

  /** The same list with means. @param {Means} means @param {readonly number[]} prompt */
  withMeans(means, prompt) {
    return new Interventions(this.#config, this.list, this.#all, means, prompt);
  }

  /**
   * Refuses a patch without positions whose trace is of another length than a prompt: its tokens
   * stand elsewhere. A text that goes on from a prompt of that length may have any.
   * @param {number} length of the prompt
   * @param {number} [kept] its tokens that were read with this list before
   * @param {string} [prompt] a name
   */
  checkPrompt(length, kept = 0, prompt = 'the prompt') {
    this.list.forEach((entry, at) => {
      if (!('patch' in entry && entry.patch) || entry.positions !== undefined) return;
      const count = entry.from.tokens?.length ?? length;
      if (count !== length && count > kept)
        refuse(
          'SHAPE',
          `interventions[${at}].from`,
          `of ${count} tokens`,
          `${length}, as ${prompt} has, or positions to patch`,
        );
    });
  }

  /** Refuses logits that are not finite. @param {Float32Array} logits of a pass with the list */
  check(logits) {
    if (this.acts) checkLogits(logits, this.#all);
  }

  /**
   * Bytes of masks that a token has in a pass.
   * @param {number} length of the caches then
   */
  maskBytes(length) {
    return this.#masks.reduce((sum, { heads }) => sum + heads, 0) * length * 4;
  }

  /** The edits of all passes, by position. */
  edits() {
    return editsOf(this.#entries, this.#means, this.#config);
  }

  /**
   * Writes the masks of one pass.
   * @param {Float32Array} numbers zeros, of `maskBytes` for each token
   * @param {{ from: number, t: number, length: number }} pass position of its first token, its
   *   tokens, and the length of the caches then
   * @param {(mask: Masked, start: number) => void} written is told where each begins
   */
  writeMasks(numbers, pass, written) {
    let start = 0;
    for (const mask of this.#masks) {
      writeMask(numbers, start, mask, this.temperatures, pass);
      written(mask, start);
      start += mask.heads * pass.t * pass.length;
    }
  }
}
