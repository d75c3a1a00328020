/**
 * The work of every head while a text was written: a board of layers and heads, from the statistics
 * of each token.
 */

import { counted } from './model-file.js';

/** From that share on, a head is said to look at one place. */
const MAIN_SHARE = 0.5;

export class HeadBoard {
  #tokens = 0;

  /** @param {import('../js/model/types.d.ts').ModelConfig} config */
  constructor({ layers, heads }) {
    this.layers = layers;
    this.heads = heads;
    this.sums = Array.from({ length: layers * heads }, () => ({
      entropy: 0,
      kl: 0,
      first: 0,
      previous: 0,
      own: 0,
    }));
  }

  /**
   * Statistics of the row of one position.
   * @param {import('../js/model/api.d.ts').HeadStats} stats
   * @param {number} position
   */
  add({ entropy, kl, firstWeight, argmax }, position) {
    this.#tokens++;
    this.sums.forEach((sum, at) => {
      sum.entropy += entropy[at];
      sum.kl += kl[at];
      sum.first += firstWeight[at];
      sum.previous += Number(argmax[at] === position - 1);
      sum.own += Number(argmax[at] === position);
    });
  }

  /** Means over the tokens. */
  summary() {
    const count = Math.max(1, this.#tokens);
    return this.sums.map((sum, at) => ({
      layer: Math.floor(at / this.heads),
      head: at % this.heads,
      effectiveKeys: Math.exp(sum.entropy / count),
      entropy: sum.entropy / count,
      kl: sum.kl / count,
      firstWeight: sum.first / count,
      previous: sum.previous / count,
      own: sum.own / count,
    }));
  }

  inWords() {
    const cells = this.summary();
    const width = 7;
    const mark = (/** @type {any} */ c) => {
      if (c.firstWeight >= MAIN_SHARE) return '|';
      if (c.previous >= MAIN_SHARE) return '<';
      return c.own >= MAIN_SHARE ? '=' : ' ';
    };
    const number = (/** @type {number} */ x) => (x < 9.95 ? x.toFixed(1) : x.toFixed(0));
    const row = (/** @type {number} */ layer) =>
      cells
        .slice(layer * this.heads, (layer + 1) * this.heads)
        .map((c) => `${number(c.effectiveKeys).padStart(width - 1)}${mark(c)}`)
        .join('');
    const names = Array.from({ length: this.heads }, (_, h) => `h${h}`.padStart(width - 1) + ' ');
    const rows = Array.from({ length: this.layers }, (_, layer) => [String(layer), row(layer)]);
    return [
      'The positions over which each head spread its attention (e^entropy), ' +
        `mean of ${counted(this.#tokens, 'token')}.`,
      ...[['layer', names.join('')], ...rows].map(([a, b]) => `${a.padEnd(6)}${b}`.trimEnd()),
      '| mostly the first position (a sink)   < mostly the position before   = mostly its own',
    ].join('\n');
  }
}
