/** The ledger of each token of a text, from the recordings of its own pass. */
import { ledgerOf } from './ledger.js';

/**
 * @typedef {import('../../run/pass.js').Request} Request
 * @typedef {import('../../inside/recording.js').Recorded} Recorded
 */

/**
 * The same request with the records of the last of t tokens that a ledger needs.
 * @param {Request} request
 * @param {import('../../types.d.ts').ModelConfig} config
 * @param {number} t
 * @returns {Request}
 */
export function withLedger(request, { layers }, t) {
  const row = { first: t - 1, count: 1 };
  return {
    ...request,
    ledger: [
      { names: ['resid_pre'], layers: [0], ...row },
      { names: ['z', 'attn_out', 'mlp_out'], layers: [...Array(layers).keys()], ...row },
      { names: ['resid_post'], layers: [layers - 1], ...row },
    ],
  };
}

/**
 * The ledger of the token behind the last one that was read.
 * @param {import('../../run/model.js').Model} model
 * @param {Recorded[] | undefined} recorded
 * @param {number} token
 * @param {number} logit
 */
export function ofToken(model, recorded, token, logit) {
  const of = { position: model.sequence.length - 1, tokens: [token], logits: [logit] };
  const all = /** @type {import('./ledger.js').Recorded} */ (
    Object.assign({}, ...(recorded ?? []))
  );
  return ledgerOf(model.ready(), all, of).ledger;
}
