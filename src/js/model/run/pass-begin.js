import { F32 } from '../../engine/tensor.js';

/**
 * Begins a pass: with tokens, with the residual stream before a layer, or with a token of the
 * caches once more. Returns a status.
 * @param {import('../../engine/memory.js').Memory} memory
 * @param {{ pass: number, model: number, team: number }} at addresses
 * @param {ArrayLike<number>} tokens
 * @param {number} outputs
 * @param {import('./pass.js').Request['start']} start
 * @param {import('./pass.js').Again} [again]
 */
export function beginPass(memory, { pass, model, team }, tokens, outputs, start, again) {
  const { c } = memory;
  const t = tokens.length;
  return memory.scope(() => {
    if (again)
      return c.attn_pass_begin_again(pass, model, team, tokens[0], again.position, again.layer);
    if (start) {
      const x = memory.put(start.x, F32);
      return c.attn_pass_begin_at(pass, model, team, x, t, outputs, start.layer);
    }
    const ids = memory.put(Int32Array.from(tokens), 'int32');
    return c.attn_pass_begin(pass, model, team, ids, t, outputs);
  });
}
