/** The part of a recording that belongs to the last token, whose logits choose the next one. */
import { Assembly } from './assemble.js';
import { tokensWithin } from './budget.js';
import { recordBytes } from './recording.js';

/**
 * @typedef {import('../run/arguments.js').Request} Request
 * @typedef {import('../run/model.js').Model} Model
 */

/**
 * How many of the remaining tokens go through the layers next.
 * @param {Model} model
 * @param {Request} request
 * @param {number} remaining
 */
export function chunkFor(model, { trace }, remaining) {
  const count = model.chunk(remaining);
  if (!trace) return count;
  const { names, layers } = trace;
  const keys = model.sequence.length + count;
  return tokensWithin(count, recordBytes(model.config, names, layers.length, 1, keys));
}

/**
 * The trace of the last token in the cache, after a pass of t tokens.
 * @param {Model} model
 * @param {Request} request
 * @param {import('./recording.js').Recorded | undefined} recorded
 * @param {number} t
 * @returns {{ trace?: import('../api.d.ts').TracePart }}
 */
export function traceOfLast({ config, sequence }, { trace }, recorded, t) {
  if (!trace || !recorded) return {};
  const { length } = sequence;
  const positions = Int32Array.of(length - 1);
  if (t === 1) return { trace: { positions, keys: length, ...recorded } };
  const all = new Assembly(config, trace, [length - 1], length);
  all.add(recorded, length - t, t, { first: t - 1, count: 1 });
  return { trace: { positions, keys: length, ...all.arrays } };
}
