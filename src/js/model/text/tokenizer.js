import { runYielding } from '../../engine/yield.js';
import { ggufTokenizer } from './tokenizer-gguf.js';
import { jsonTokenizer } from './tokenizer-json.js';

/**
 * Opens the tokenizer of a model, from the metadata of a GGUF file or from tokenizer.json. A large
 * one takes a while, so the thread is left to others in between.
 * @typedef {import('../types.d.ts').Tokenizer} Tokenizer
 * @typedef {import('../types.d.ts').ModelFile} ModelFile
 */

/**
 * The tokenizer of a model's files. Without one, prompts and texts are ids.
 * @param {ModelFile} file
 * @param {AbortSignal} [signal]
 * @returns {Promise<Tokenizer | null>}
 */
export async function openTokenizer({ format, metadata, json, tensors }, signal) {
  const check = () => signal?.throwIfAborted();
  const rows = tensors.find(
    ({ name }) => name === 'token_embd.weight' || name === 'model.embed_tokens.weight',
  )?.shape[0];
  const get = (/** @type {string} */ key) => metadata.get(`tokenizer.ggml.${key}`);
  const model = get('model');
  if (!json.tokenizer)
    return format === 'gguf' && model !== undefined && model !== 'no_vocab'
      ? runYielding(ggufTokenizer(metadata, rows), check)
      : null;
  const steps = jsonTokenizer(
    format === 'gguf'
      ? {
          ...json,
          config: { bos_token_id: get('bos_token_id'), eos_token_id: get('eos_token_id') },
        }
      : json,
    rows,
  );
  return runYielding(steps, check);
}

/**
 * Ids that end a text, for a model without a tokenizer.
 * @param {ModelFile} file
 * @returns {ReadonlySet<number>} anything else in it does no harm
 */
export const endsOf = ({ metadata, json }) =>
  new Set(
    [
      metadata.get('tokenizer.ggml.eos_token_id'),
      json.generationConfig?.eos_token_id,
      json.config?.eos_token_id,
    ].flat(),
  );
