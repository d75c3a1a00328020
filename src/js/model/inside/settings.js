/**
 * @typedef {Pick<import('./interventions.js').Interventions, 'temperatures' | 'content'>}
 *   Settings that tokens are read with
 */

/** @param {Settings | undefined} a @param {Settings} b */
const alike = (a, b) =>
  a !== undefined &&
  b.content.equals(a.content) &&
  b.temperatures.every((t, x) => t === a.temperatures[x]);

/** The settings that each position of a cache was read with. */
export class SettingsOfPositions {
  /**
   * Neighbours with equal settings, in order. Some of a snapshot are not known.
   * @type {{ from: number, settings: Settings | undefined }[]}
   */
  #runs = [];

  /** Those of the first position. @returns {Settings | undefined} */
  get first() {
    return this.#runs[0]?.settings;
  }

  /** How many positions at the beginning have those. @param {number} length of the cache */
  alike(length) {
    return this.#runs[1]?.from ?? length;
  }

  /**
   * Whether a position is known to have these.
   * @param {number} position
   * @param {Settings} settings
   */
  has(position, settings) {
    return alike(this.#runs.filter(({ from }) => from <= position).at(-1)?.settings, settings);
  }

  /**
   * All positions from one on have these.
   * @param {number} from
   * @param {Settings | undefined} settings undefined: they are not known
   */
  note(from, settings) {
    if (settings && alike(this.#runs.at(-1)?.settings, settings)) return;
    const { temperatures, content } = settings ?? {};
    this.#runs.push({ from, settings: temperatures && content && { temperatures, content } });
  }

  /** Keeps the first `length` positions. @param {number} length */
  cut(length) {
    while (this.#runs.length && this.#runs[this.#runs.length - 1].from >= length) this.#runs.pop();
  }
}
