/** The ledger of each token of a text, from the recordings of its own pass. */
import { LEDGER_RECORDS, ledgerOf } from './ledger.js';

/**
 * @typedef {import('../run/pass.js').Request} Request
 * @typedef {import('../inside/recording.js').Recorded} Recorded
 */

/**
 * The same request with the records of the last of t tokens that a ledger needs.
 * @param {Request} request
 * @param {import('../types.d.ts').ModelConfig} config
 * @param {number} t
 * @returns {Request}
 */
export const withLedger = (request, { layers }, t) => ({
  ...request,
  ledger: {
    names: LEDGER_RECORDS,
    layers: [...Array(layers).keys()],
    first: t - 1,
    count: 1,
  },
});

/**
 * The ledger of the token behind the last one that was read.
 * @param {import('../run/model.js').Model} model
 * @param {Recorded | undefined} recorded
 * @param {number} token
 * @param {number} logit
 */
export function ofToken(model, recorded, token, logit) {
  const of = { position: model.sequence.length - 1, tokens: [token], logits: [logit] };
  const all = /** @type {import('./ledger.js').Recorded} */ (recorded);
  return ledgerOf(model.ready(), all, of).ledger;
}
