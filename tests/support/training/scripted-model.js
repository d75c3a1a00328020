import { scoreHeads } from '../../../src/js/model/inspect/scores.js';

/**
 * A model whose heads and answers are written by hand. It has the part of the API of models that
 * the evaluation uses.
 *
 * @param {object} script
 * @param {any} script.tokenizer
 * @param {((ids: number[]) => number[] | null)[]} script.heads the positions among which each head
 *   divides its weight from the last token; null for all
 * @param {(ids: number[]) => number} script.next the token that is predicted
 * @param {(prompt: string, options: { seed?: number }) => string} [script.says]
 */
export function scriptedModel({ tokenizer, heads, next, says = () => '' }) {
  let ids = [];
  const rowOf = (head) => {
    const positions = heads[head](ids) ?? [...ids.keys()];
    const weights = new Float32Array(ids.length);
    for (const position of positions) weights[position] += 1 / positions.length;
    return { layer: 0, head, weights };
  };
  const prefill = (tokens) => {
    ids.push(...tokens);
    // e to 1 beside all others
    const logits = new Float32Array(tokenizer.size);
    logits[next(ids)] = 1;
    return { logits, heads: { weights: heads.map((_, head) => rowOf(head)) } };
  };
  const config = { layers: 1, heads: heads.length, vocab: tokenizer.size };
  async function* read(tokens) {
    ids = [];
    for (const [position, token] of tokens.entries())
      yield { position, rows: prefill([token]).heads.weights };
  }
  return {
    tokenizer,
    config,
    heads: {
      scores: (options) => scoreHeads({ config, tokenizer, read, capacity: Infinity }, options),
    },
    cache: { clear: () => void (ids = []) },
    prefill,
    step: (token) => prefill([token]),
    async *generate(prompt, options) {
      yield { text: says(prompt, options) };
    },
  };
}
