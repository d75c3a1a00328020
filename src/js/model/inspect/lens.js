/** The logit lens and the ledger of a past position, see types.d.ts. */
import { integer, read, yes } from '../../check.js';
import { describe, refuse } from '../../errors.js';
import { ledgerOf } from './ledger/ledger.js';
import { checkPosition, lookAgain } from './position.js';
import { sourcesOf } from './sources.js';

/**
 * @typedef {import('../run/model.js').Model} Model
 * @typedef {import('./types.d.ts').Lens} Lens
 */

/** The records of a ledger. */
const LEDGER = /** @type {const} */ (['resid_pre', 'z', 'attn_out', 'mlp_out', 'resid_post']);

/** Probabilities of one row of logits. @param {Float32Array} logits */
export function softmax(logits) {
  let max = -Infinity;
  for (const x of logits) max = Math.max(max, x);
  const p = Float64Array.from(logits, (x) => Math.exp(x - max));
  const sum = p.reduce((a, b) => a + b, 0);
  return Float32Array.from(p, (x) => x / sum);
}

/** The ids of the largest numbers, the largest first. @param {Float32Array} p @param {number} k */
function largest(p, k) {
  /** @type {number[]} */
  const ids = [];
  for (let id = 0; id < p.length; id++) {
    if (ids.length === k && p[id] <= p[ids[k - 1]]) continue;
    let at = ids.length;
    while (at && p[ids[at - 1]] < p[id]) at--;
    ids.splice(at, 0, id);
    if (ids.length > k) ids.pop();
  }
  return ids;
}

/**
 * @param {Model} model
 * @param {unknown} given
 * @param {unknown} [options]
 * @returns {Lens}
 */
export function lens(model, given, options) {
  const { layers, vocab } = model.config;
  const { top = 5 } = read('options', /** @type {{ top?: number }} */ (options), ['top']);
  integer('top', top, 1, vocab);
  model.sequence.checkReadable();
  const decoder = model.ready();
  const position = checkPosition(model, given);
  const { recorded } = lookAgain(model, position, ['resid_post']);
  const logits = new Float32Array(layers * vocab);
  // the last norm and product of a pass, with a layer in the place of each token
  const start = { layer: layers, x: recorded.resid_post };
  decoder
    .read(
      new Int32Array(layers),
      layers,
      model.sequence.length,
      { stats: false, start },
      Infinity,
      (pass) => pass.logits(logits),
    )
    .next();
  const probabilities = new Float32Array(layers * vocab);
  const tops = Array.from({ length: layers }, (_, layer) => {
    const p = softmax(logits.subarray(layer * vocab, (layer + 1) * vocab));
    probabilities.set(p, layer * vocab);
    return largest(p, top).map((token) => ({ token, probability: p[token] }));
  });
  return { position, logits, probabilities, top: tops };
}

/**
 * One token or two.
 * @param {unknown} given
 * @param {number} vocab
 */
function readTokens(given, vocab) {
  if (!Array.isArray(given)) return [integer('token', given, 0, vocab - 1)];
  if (given.length !== 2) refuse('SHAPE', 'token', describe(given), 'an id, or a pair of ids');
  const [token, other] = given.map((id, at) => integer(`token[${at}]`, id, 0, vocab - 1));
  if (token === other) refuse('ARG', 'token[1]', `${other}, as token[0]`, 'another token');
  return [token, other];
}

/**
 * @param {Model} model
 * @param {unknown} given
 * @param {unknown} token
 * @param {unknown} [options]
 * @returns {import('./types.d.ts').Ledger}
 */
export function ledger(model, given, token, options) {
  const o = read('options', /** @type {{ sources?: boolean }} */ (options), ['sources']);
  const sources = yes('sources', o.sources);
  const tokens = readTokens(token, model.config.vocab);
  model.sequence.checkReadable();
  const decoder = model.ready();
  const position = checkPosition(model, given);
  const { logits, recorded } = lookAgain(model, position, [
    ...LEDGER,
    ...(sources ? /** @type {const} */ (['pattern']) : []),
  ]);
  const found = ledgerOf(decoder, recorded, {
    position,
    tokens,
    logits: tokens.map((id) => logits[id]),
  });
  if (!sources) return found.ledger;
  const { length } = model.sequence;
  return { ...found.ledger, ...sourcesOf(model, decoder, recorded.pattern, found, length) };
}
