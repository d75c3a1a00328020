/** `model.heads.scores`: reads texts, and scores every head by its rows and weights. */
import { yieldToOthers } from '../../engine/yield.js';
import { recordBytes } from '../inside/recording.js';
import { createReader } from '../reading/reader.js';
import { borrowing } from './borrow.js';
import { copyingScores } from './copying.js';
import { scoreHeads } from './scores.js';

/** @typedef {import('../run/model.js').Model} Model */

/** Bytes of wasm memory for the weights of one pass, unless a single token has more. */
const PASS_BYTES = 2 ** 25;

/**
 * Reads a text from its beginning. Gives the rows of all heads, position by position.
 * @param {Model} model
 * @param {number[]} ids
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<import('./scores.js').Position, void, void>}
 */
async function* rowsOf(model, ids, signal) {
  const { config, sequence } = model;
  model.live.now.checkPrompt(ids.length, 0, 'a text that heads are scored on');
  const reader = createReader(model, signal);
  const layers = [...Array(config.layers).keys()];
  sequence.cut(0);
  const probe = reader.probe();
  for (let at = 0; at < ids.length;) {
    const row = recordBytes(config, ['pattern'], config.layers, 1, ids.length);
    const affordable = Math.max(1, Math.floor(PASS_BYTES / row));
    const some = ids.slice(at, at + Math.min(model.chunk(ids.length - at), affordable));
    const [t, length] = [some.length, at + some.length];
    const record = { names: /** @type {const} */ (['pattern']), layers, first: 0, count: t };
    const { record: recorded } = await reader.read(some, probe, { stats: false, record });
    const pattern = /** @type {Float32Array<ArrayBuffer>} */ (recorded?.pattern);
    for (let i = 0; i < t; i++) {
      const rows = Array.from({ length: config.layers * config.heads }, (_, x) => ({
        layer: Math.floor(x / config.heads),
        head: x % config.heads,
        weights: pattern.subarray((x * t + i) * length, (x * t + i) * length + at + i + 1),
      }));
      yield { position: at + i, rows };
    }
    at = length;
  }
}

/**
 * See Heads in types.d.ts.
 * @param {Model} model
 * @param {unknown} [options]
 */
export async function scores(model, options) {
  model.alive();
  const pause = yieldToOthers();
  const watched = {
    config: model.config,
    capacity: model.sequence.capacity,
    tokenizer: model.tokenizer,
    read: (/** @type {number[]} */ ids, /** @type {AbortSignal | undefined} */ signal) =>
      rowsOf(model, ids, signal),
    copying: () => copyingScores(model.ready()),
    pause: async () => {
      await pause();
      model.alive();
    },
  };
  return scoreHeads(watched, options, (work) =>
    borrowing(model, () => {
      model.live.leaveUnsettled();
      return work();
    }),
  );
}
