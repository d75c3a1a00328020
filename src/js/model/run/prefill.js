import { integer } from '../../check.js';
import { checkTokens } from '../reading/tokens.js';
import { checkFits, readRequest } from './arguments.js';
import { chunkFor, traceOfLast } from '../inside/last-trace.js';
import { joined } from './statistics.js';

/**
 * Model.prefill and Model.step, see api.d.ts.
 * @param {import('./model.js').Model} model
 * @param {unknown} tokens
 * @param {unknown} options
 * @param {boolean} [isStep] whether it is one token and no list
 */
export function prefill(model, tokens, options, isStep = false) {
  const request = readRequest(options, model.config);
  model.alive();
  const ids = isStep
    ? [integer('token', tokens, 0, model.config.vocab - 1)]
    : checkTokens(tokens, model.config);
  model.sequence.checkFree();
  checkFits(model.sequence, ids.length);
  const before = model.sequence.length;
  const parts = [];
  let traced = {};
  const logits = new Float32Array(model.config.vocab);
  try {
    model.settle(() => [...model.sequence.tokens, ...ids], before === 0, Infinity).next();
    for (let at = 0; at < ids.length;) {
      const some = ids.slice(at, at + chunkFor(model, request, ids.length - at));
      at += some.length;
      const last = at === ids.length;
      const { value } = model.reading(some, last ? logits : null, request, Infinity).next();
      parts.push(value?.heads);
      if (last) traced = traceOfLast(model, request, value?.record, some.length);
    }
  } catch (error) {
    model.sequence.undo();
    model.sequence.cut(before);
    throw error;
  }
  return { logits, heads: joined(parts, model.config), ...traced };
}
