import { list, read } from '../../check.js';
import { ClearheadError, describe, refuse } from '../../errors.js';
import { missing } from '../files/missing.js';

/**
 * The chat template of a model, a program in Jinja that comes with the file. It runs in
 * @huggingface/jinja, an interpreter that reaches nothing but the variables given to it, under
 * limits of its own (template-run.js).
 * @typedef {import('../types.d.ts').ModelFile} ModelFile
 */

const TEMPLATE_LENGTH = 2 ** 16;
const MESSAGES = 4096;

/**
 * @param {ModelFile} file
 * @param {import('../types.d.ts').Tokenizer} tokenizer
 * @returns {Promise<import('../types.d.ts').ChatTemplate | null>} null: it has none
 */
export async function openTemplate(file, tokenizer) {
  const text = templateOf(file);
  if (text === undefined) return null;
  const { render, error } = await prepared(text);
  const marks = {
    bos_token: markOf(file, tokenizer, 'bos'),
    eos_token: markOf(file, tokenizer, 'eos'),
  };
  return Object.freeze({
    error,
    render(/** @type {any[]} */ messages, /** @type {unknown} */ options) {
      const { addGenerationPrompt = true, variables = {} } = read('options', options, [
        'addGenerationPrompt',
        'variables',
      ]);
      if (list('messages', messages).length > MESSAGES)
        refuse('LIMIT', 'messages', messages.length, `at most ${MESSAGES}`);
      for (const [at, message] of messages.entries())
        for (const part of ['role', 'content'])
          if (typeof message?.[part] !== 'string')
            refuse('ARG', `messages[${at}].${part}`, describe(message?.[part]), 'a string');
      return render({
        ...marks,
        ...variables,
        messages,
        add_generation_prompt: addGenerationPrompt,
      });
    },
  });
}

/**
 * If the template cannot be run, that is said when it is used; the model works without it.
 * @param {unknown} text
 */
async function prepared(text) {
  try {
    if (typeof text !== 'string' || text.length > TEMPLATE_LENGTH)
      refuse(
        'LIMIT',
        'the chat template',
        typeof text === 'string' ? `${text.length} characters long` : describe(text),
        `text of at most ${TEMPLATE_LENGTH}`,
      );
    const { prepare } = await import('./template-run.js').catch(missing('@huggingface/jinja'));
    return { render: prepare(text), error: null };
  } catch (cause) {
    const error = templateError(cause);
    return {
      error,
      render: () => {
        throw error;
      },
    };
  }
}

/** @param {ModelFile} file @returns {unknown} */
function templateOf({ metadata, json }) {
  const own = json.tokenizerConfig?.chat_template ?? metadata.get('tokenizer.chat_template');
  // a model may have several, by name
  return (
    json.chatTemplate ??
    (Array.isArray(own) ? own.find((one) => one?.name === 'default')?.template : (own ?? undefined))
  );
}

/**
 * The text of the token that begins or ends a text.
 * @param {ModelFile} file
 * @param {import('../types.d.ts').Tokenizer} tokenizer
 * @param {'bos' | 'eos'} name
 */
function markOf({ metadata, json }, tokenizer, name) {
  const own = json.tokenizerConfig?.[`${name}_token`];
  const text = own?.content ?? own;
  const id = metadata.get(`tokenizer.ggml.${name}_token_id`);
  if (typeof text === 'string') return text;
  return typeof id === 'number' && id < tokenizer.size ? tokenizer.token(id) : '';
}

/** The error of a template that failed. @param {unknown} cause @returns {ClearheadError} */
export function templateError(cause) {
  if (cause instanceof ClearheadError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof RangeError)
    return new ClearheadError(
      'LIMIT',
      `the chat template went too deep or grew too long: ${message}`,
      { cause },
    );
  return new ClearheadError('FORMAT', `the chat template failed: ${message.slice(0, 200)}`, {
    cause,
  });
}
