import { abortSignal, integer, read } from '../../check.js';
import { ClearheadError, describe, refuse } from '../../errors.js';
import { runAtOnce } from '../../engine/yield.js';
import { Assembly } from '../inside/assemble.js';
import { tokensWithin } from '../inside/budget.js';
import { ordered, recordOf } from '../inside/options.js';
import { recordBytes } from '../inside/recording.js';
import { begun } from '../reading/prompt.js';
import { createReader } from '../reading/reader.js';

/**
 * Recordings of a prompt.
 * @typedef {import('./model.js').Model} Model
 * @typedef {import('../reading/prompt.js').Ids} Ids
 * @typedef {import('../inside/recording.js').RecordRequest} RecordRequest
 *
 * @typedef {import('../api.d.ts').TraceOptions} Options
 *
 * @typedef {object} Wanted
 * @property {Pick<RecordRequest, 'names' | 'layers'>} record
 * @property {(count: number) => number[]} positions of a prompt with `count` tokens, in order
 */

const NAMES = ['record', 'layers', 'positions', 'maxBytes', 'onPart', 'signal'];

/** Bytes of a trace, unless the caller allows more. */
const MAX_BYTES = 2 ** 28;

/** @param {unknown} options @returns {import('../../check.js').Read<Partial<Options>>} */
const readOptions = (options) => read('options', options ?? {}, NAMES);

/** @param {number} count */
const everyPosition = (count) => Array.from({ length: count }, (_, position) => position);

/**
 * @param {Model} model
 * @param {{ record?: unknown, layers?: unknown, positions?: unknown }} o
 * @returns {Wanted}
 */
function readWanted({ config }, { record, layers, positions }) {
  const of = (/** @type {number} */ count) => {
    if (positions === undefined) return everyPosition(count);
    return positions === 'last' ? [count - 1] : ordered('positions', positions, count);
  };
  if (positions !== 'last' && typeof positions === 'string')
    refuse('ARG', 'positions', describe(positions), "an array, or 'last'");
  return { record: recordOf(record, layers, config), positions: of };
}

/**
 * Bytes of the arrays that a trace returns.
 * @param {Model} model
 * @param {Wanted} wanted
 * @param {number} count of tokens
 */
const bytesOf = ({ config }, { record: { names, layers }, positions }, count) =>
  recordBytes(config, names, layers.length, positions(count).length, count);

/**
 * See api.d.ts.
 * @param {Model} model
 * @param {Ids} prompt
 * @param {unknown} options
 */
export function traceBytes(model, prompt, options) {
  const wanted = readWanted(model, readOptions(options));
  return bytesOf(model, wanted, runAtOnce(prompt).length);
}

/**
 * See api.d.ts. All is checked at once, but positions when the prompt is encoded.
 * @param {Model} model
 * @param {Ids} prompt
 * @param {unknown} options
 * @returns {Promise<import('../api.d.ts').Trace>}
 */
export async function trace(model, prompt, options) {
  model.alive();
  const o = readOptions(options);
  const wanted = readWanted(model, o);
  const signal = abortSignal(o.signal);
  const { onPart, maxBytes = MAX_BYTES } = o;
  if (onPart !== undefined && typeof onPart !== 'function')
    refuse('ARG', 'onPart', describe(onPart), 'a function');
  integer('maxBytes', maxBytes, 1, Number.MAX_SAFE_INTEGER);
  return run(model, begun(prompt, model.sequence.capacity), wanted, { maxBytes, onPart, signal });
}

/**
 * @param {Model} model
 * @param {ReturnType<typeof begun>} idsOf the prompt
 * @param {Wanted} wanted
 * @param {{ maxBytes: number, onPart: Options['onPart'], signal:
 *   AbortSignal | undefined }} more
 */
async function run(model, idsOf, wanted, { maxBytes, onPart, signal }) {
  const { config, sequence } = model;
  const { record } = wanted;
  const { check, read: readTokens, settle } = createReader(model, signal);
  check();
  const release = sequence.lock();
  try {
    const ids = await idsOf(check);
    const { now } = model.live;
    now.checkPrompt(ids.length, sequence.common(ids, now));
    const positions = wanted.positions(ids.length);
    const bytes = bytesOf(model, wanted, ids.length);
    if (!onPart && bytes > maxBytes)
      throw new ClearheadError(
        'LIMIT',
        `the trace has ${bytes} bytes; expected at most ${maxBytes}, maxBytes ` +
          '(fewer layers or positions have less, and with onPart nothing is kept)',
      );
    const logits = new Float32Array(config.vocab);
    const whole = new Assembly(config, record, onPart ? [] : positions, ids.length);
    if (model.live.averages) await settle(ids, true);
    check();
    for (let at = model.reuse(ids, positions[0]); at < ids.length;) {
      const some = ids.slice(at, at + chunk(model, record, at, ids.length));
      const end = at + some.length;
      const inside = positions.filter((position) => position >= at && position < end);
      const first = (inside[0] ?? at) - at;
      const rows = { first, count: (inside.at(-1) ?? at - 1) + 1 - at - first };
      const { record: recorded } = await readTokens(some, end === ids.length ? logits : null, {
        stats: false,
        ...(inside.length && { record: { ...record, ...rows } }),
      });
      const target = onPart ? new Assembly(config, record, inside, end) : whole;
      target.add(recorded ?? {}, at, some.length, rows);
      if (inside.length)
        onPart?.({ positions: Int32Array.from(inside), keys: end, ...target.arrays });
      at = end;
    }
    return {
      tokens: Int32Array.from(ids),
      layers: [...record.layers],
      positions: Int32Array.from(positions),
      logits,
      ...(!onPart && whole.arrays),
    };
  } finally {
    release();
  }
}

/**
 * How many tokens go through the layers next: as many as otherwise, if the recording is small.
 * @param {Model} model
 * @param {Wanted['record']} record
 * @param {number} at
 * @param {number} end
 */
function chunk(model, { names, layers }, at, end) {
  const count = model.chunk(end - at);
  return tokensWithin(count, recordBytes(model.config, names, layers.length, 1, at + count));
}
