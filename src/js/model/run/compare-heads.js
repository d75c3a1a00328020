/** Heads on two sets of prompts, see inspect/heads-types.d.ts. */
import { abortSignal, choice, integer, list, number, progressListener, read } from '../../check.js';
import { describe, refuse } from '../../errors.js';
import { begun, textPrompt } from '../reading/prompt.js';
import { createReader } from '../reading/reader.js';
import { divergence, logProbabilities } from '../inspect/log-softmax.js';
import { comparePlanes, headsFound } from '../inspect/planes.js';

/**
 * @typedef {import('./model.js').Model} Model
 * @typedef {import('../inspect/heads-types.d.ts').Fingerprint} Fingerprint
 * @typedef {import('../inspect/heads-types.d.ts').FingerprintOptions} Options
 * @typedef {import('../inspect/planes.js').Samples} Samples
 * @typedef {ReturnType<typeof createReader>} Reader
 */

const NAMES = ['rows', 'correction', 'level', 'ablate', 'onProgress', 'signal'];
const CORRECTIONS = /** @type {const} */ (['holm', 'benjamini-hochberg']);

/** @param {Model} model @param {string} name @param {unknown} prompts */
const readSet = (model, name, prompts) =>
  list(name, prompts, 'an array of prompts').length >= 2
    ? list(name, prompts).map((prompt) => begun(textPrompt(model, prompt), model.sequence.capacity))
    : refuse('SHAPE', name, describe(prompts), 'at least two prompts');

/** @param {unknown} options */
function readOptions(options) {
  const o = read('options', /** @type {Options | undefined} */ (options), NAMES);
  const { level = 0.001, ablate = 8 } = o;
  if (!(number('level', level) > 0 && level < 1))
    refuse('RANGE', 'level', level, 'a number between 0 and 1');
  return {
    all: choice('rows', o.rows, 'last', 'all') === 1,
    correction: CORRECTIONS[choice('correction', o.correction, ...CORRECTIONS)],
    level,
    ablate: integer('ablate', ablate, 0),
    onProgress: progressListener(o.onProgress),
    signal: abortSignal(o.signal),
  };
}

/**
 * @param {Model} model
 * @param {unknown} promptsA
 * @param {unknown} promptsB
 * @param {unknown} options
 * @returns {Promise<Fingerprint>}
 */
export async function fingerprint(model, promptsA, promptsB, options) {
  model.alive();
  const o = readOptions(options);
  const sets = [readSet(model, 'promptsA', promptsA), readSet(model, 'promptsB', promptsB)];
  const { layers, heads } = model.config;
  const reader = createReader(model, o.signal);
  const total = sets[0].length + sets[1].length;
  let done = 0;
  const tick = () => o.onProgress?.({ done: ++done, total });
  reader.check();
  const release = model.sequence.lock();
  const { live } = model;
  const { now } = live;
  const putBack = live.keep();
  try {
    const read = [];
    for (const set of sets) read.push(await readPrompts(model, reader, set, o.all, tick));
    const [a, b] = read.map(({ samples }) => samples);
    const compared = comparePlanes(a, b, o.correction);
    const found = headsFound(compared.adjusted, heads, o.level);
    const ablated = [];
    for (const head of found.slice(0, o.ablate)) {
      live.now = now;
      live.ablate(head.layer, head.head);
      const effects = [];
      for (const { prompts } of read) effects.push(await meanEffect(model, reader, prompts));
      ablated.push({ ...head, effect: { a: effects[0], b: effects[1] } });
    }
    return {
      layers,
      heads,
      prompts: { a: sets[0].length, b: sets[1].length },
      ...compared,
      correction: o.correction,
      level: o.level,
      found,
      ablated,
    };
  } finally {
    putBack();
    release();
  }
}

/**
 * Reads a prompt; calls `each` with the statistics of every chunk.
 * @param {Model} model
 * @param {Reader} reader
 * @param {number[]} ids
 * @param {boolean} anew
 * @param {(heads: import('../api.d.ts').HeadStats, tokens: number, last: boolean) => void} [each]
 * @returns {Promise<Float32Array>} its logits
 */
async function readPrompt(model, reader, ids, anew, each) {
  const logits = new Float32Array(model.config.vocab);
  if (model.live.averages) await reader.settle(ids, true);
  for (let at = model.reuse(ids, anew ? 0 : ids.length - 1); at < ids.length;) {
    const some = ids.slice(at, at + model.chunk(ids.length - at));
    at += some.length;
    const last = at === ids.length;
    const { heads } = await reader.read(some, last ? logits : null, { stats: Boolean(each) });
    each?.(/** @type {import('../api.d.ts').HeadStats} */ (heads), some.length, last);
  }
  return logits;
}

/**
 * ρ and χ of every head for every prompt, and the logits after it.
 * @param {Model} model
 * @param {Reader} reader
 * @param {ReturnType<typeof readSet>} set
 * @param {boolean} all rows, not the last one
 * @param {() => void} tick
 */
async function readPrompts(model, reader, set, all, tick) {
  const { layers, heads } = model.config;
  const empty = () => Array.from({ length: layers * heads }, () => new Float64Array(set.length));
  /** @type {Samples} */
  const samples = { rho: empty(), chi: empty() };
  const prompts = [];
  for (const [at, idsOf] of set.entries()) {
    const ids = await idsOf(reader.check);
    if (ids.length < 2) refuse('SHAPE', 'a prompt', '1 token', 'at least two');
    model.live.now.checkPrompt(ids.length);
    const rows = new Float64Array(layers * heads);
    const logits = await readPrompt(model, reader, ids, all, (stats, tokens, last) => {
      for (let row = 0; row < layers * heads; row++)
        for (let i = all ? 0 : tokens - 1; i < tokens && (all || last); i++) {
          const x = row * tokens + i;
          const T = model.temperature(Math.floor(row / heads), row % heads);
          if (stats.n[x] < 2) continue;
          rows[row]++;
          samples.rho[row][at] += stats.kl[x];
          samples.chi[row][at] += susceptibility(stats.variance[x], stats.n[x], T);
        }
    });
    for (const statistic of [samples.rho, samples.chi])
      statistic.forEach((values, row) => (values[at] /= rows[row] || 1));
    prompts.push({ ids, logits });
    tick();
  }
  return { samples, prompts };
}

/**
 * Var_p(log p)/(log n)², where log p = z/T − lse. At T = 0 and T = ∞ all log p of keys with weight
 * are equal.
 * @param {number} variance Var_p(z)
 * @param {number} n
 * @param {number} T
 */
const susceptibility = (variance, n, T) =>
  T > 0 && T < Infinity ? (Math.sqrt(variance) / T / Math.log(n)) ** 2 : 0;

/**
 * How far the next tokens move by the present interventions.
 * @param {Model} model
 * @param {Reader} reader
 * @param {{ ids: number[], logits: Float32Array }[]} prompts with the logits before
 */
async function meanEffect(model, reader, prompts) {
  let sum = 0;
  for (const { ids, logits } of prompts)
    sum += divergence(
      logProbabilities(logits),
      logProbabilities(await readPrompt(model, reader, ids, false)),
    );
  return sum / prompts.length;
}
