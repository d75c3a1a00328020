/** The interventions of a model now, which act from the next pass on. */
import { integer, number } from '../../check.js';
import { ClearheadError, refuse } from '../../errors.js';
import { Interventions } from '../inside/interventions.js';

/**
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('../inside/types.d.ts').Intervention} Intervention
 * @typedef {{ layer?: number | undefined, head?: number | undefined }} Place
 */

export class Live {
  #config;
  /** Those of before, while nobody may change them. @type {Interventions | undefined} */
  #kept;

  /** @param {ModelConfig} config */
  constructor(config) {
    this.#config = config;
    this.now = Interventions.read([], config);
  }

  /** As callers gave it. */
  get list() {
    return (this.#kept ?? this.now).list;
  }

  /** Whether it asks for means of a prompt. */
  get averages() {
    return this.now.averaged.length > 0;
  }

  /** @param {unknown} list */
  intervene(list) {
    this.#checkFree();
    this.now = Interventions.read(list, this.#config);
  }

  #checkFree() {
    if (this.#kept)
      throw new ClearheadError(
        'BUSY',
        'the model is in the middle of a sweep or of scores of its heads; ' +
          'expected its interventions to be changed afterwards',
      );
  }

  /** @param {number} layer @param {number} head */
  temperature(layer, head) {
    const { layers, heads } = this.#config;
    const at = integer('layer', layer, 0, layers - 1) * heads + integer('head', head, 0, heads - 1);
    return this.now.temperatures[at];
  }

  /**
   * Puts a temperature to the end of the list, in place of those that it makes void.
   * @param {number} temperature
   * @param {number} [layer]
   * @param {number} [head]
   */
  setTemperature(temperature, layer, head) {
    const { layers, heads } = this.#config;
    if (!(number('temperature', temperature) >= 0))
      refuse('RANGE', 'temperature', temperature, 'a number of at least 0');
    if (layer !== undefined) integer('layer', layer, 0, layers - 1);
    else if (head !== undefined)
      refuse('ARG', 'head', 'given without a layer', 'both, or neither for all heads');
    if (head !== undefined) integer('head', head, 0, heads - 1);
    const place = { ...(layer !== undefined && { layer }), ...(head !== undefined && { head }) };
    const isOne = (/** @type {Intervention} */ entry) => 'temperature' in entry;
    const stays = (/** @type {Intervention} */ entry) => !isOne(entry) || !covers(place, entry);
    const needed = temperature !== 1 || this.now.list.some((each) => isOne(each) && stays(each));
    this.#checkFree();
    this.now = this.now.changed(stays, needed ? [{ ...place, temperature }] : []);
  }

  /**
   * Keeps callers from changing the interventions.
   * @returns {() => void} ends that, and puts back the present ones with their means
   */
  keep() {
    const { now } = this;
    this.#kept = now;
    return () => {
      this.#kept = undefined;
      this.now = now;
    };
  }

  /** Ablates a head too, for work that keeps all. @param {number} layer @param {number} head */
  ablate(layer, head) {
    this.now = this.now.changed(() => true, [{ layer, head, gain: 0 }]);
  }

  /** Leaves out the entries whose means are not known. */
  leaveUnsettled() {
    if (this.now.unsettled) this.now = this.now.withoutMeans();
  }

  /**
   * Measures the means that the list asks for, over a prompt. An empty one has no mean.
   * @param {import('./model.js').Model} model
   * @param {() => number[]} prompt its ids
   * @param {boolean} anew also if they are known of other tokens
   * @param {number} slice as in Model.reading
   * @returns {Generator<void, void, void>}
   */
  *settle(model, prompt, anew, slice) {
    for (;;) {
      const asked = this.now;
      if (!asked.averaged.length || !(anew || asked.unsettled)) return;
      const ids = prompt();
      if (!ids.length) return;
      if (asked.measuredOver(ids)) return;
      const means = yield* measure(model, asked, ids, slice);
      if (this.now === asked) this.now = asked.withMeans(means, [...ids]);
    }
  }
}

/** Whether all heads of a place are in another. @param {Place} whole @param {Place} part */
const covers = (whole, part) =>
  whole.layer === undefined ||
  (whole.layer === part.layer && (whole.head === undefined || whole.head === part.head));

/**
 * The means of z over a prompt, each at the place of its entry. The other interventions hold
 * meanwhile, and the caches are as before afterwards.
 * @param {import('./model.js').Model} model
 * @param {Interventions} asked
 * @param {number[]} ids
 * @param {number} slice
 * @returns {Generator<void, import('../inside/interventions.js').Means, void>}
 */
function* measure(model, asked, ids, slice) {
  const { headDim } = model.config;
  const sums = asked.averaged.map(({ heads }) => new Float64Array(heads[1] * headDim));
  const last = Math.max(...asked.averaged.map(({ layer }) => layer));
  const putBack = model.sequence.setAside();
  try {
    for (let at = 0; at < ids.length;) {
      const some = ids.slice(at, at + model.chunk(ids.length - at));
      const count = some.length;
      const { list, copies } = asked.measuring(some.map((_, x) => at + x));
      // with the record of a row, the last layer computes all of them
      /** @type {import('../inside/recording.js').RecordRequest} */
      const record = { names: ['z'], layers: [last], first: 0, count: 1 };
      yield* model.reading(some, null, { stats: false, record }, slice, list);
      sums.forEach((sum, x) => copies[x].numbers.forEach((z, c) => (sum[c % sum.length] += z)));
      at += count;
    }
  } finally {
    putBack();
  }
  const mean = (/** @type {number} */ sum) => sum / ids.length;
  return new Map(asked.averaged.map((entry, x) => [entry, Float32Array.from(sums[x], mean)]));
}
