import { list, read } from '../../check.js';
import { describe, refuse } from '../../errors.js';
import { isPlain } from '../../kinds.js';
import { countArguments } from '../../names.js';
import { missing } from '../files/missing.js';

/**
 * The chat template of a model, a program in Jinja that comes with the file. It reaches nothing but
 * the variables given to it, and runs under limits (jinja/limits.js).
 * @typedef {import('../types.d.ts').ModelFile} ModelFile
 */

/** Variables that many templates read. */
const COMMON = ['tools', 'documents', 'enable_thinking', 'thinking', 'reasoning_effort'];
/** The text of each template. @type {WeakMap<object, string>} */
const texts = new WeakMap();

/**
 * Whether a name is one that the template may read.
 * @param {import('../types.d.ts').ChatTemplate | null} template
 * @param {string} name
 */
export const isVariable = (template, name) =>
  COMMON.includes(name) ||
  Boolean(
    template &&
    texts
      .get(template)
      ?.match(/[A-Za-z_]\w*/g)
      ?.includes(name),
  );

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
    bos_token: markOf(file, tokenizer, 'bos') ?? '',
    eos_token: markOf(file, tokenizer, 'eos') ?? '',
    unk_token: markOf(file, tokenizer, 'unk'),
    pad_token: markOf(file, tokenizer, 'pad'),
  };
  const template = countArguments({
    error,
    render(/** @type {any[]} */ messages, /** @type {unknown} */ options) {
      const { addGenerationPrompt, variables } = readOptions(options);
      if (list('messages', messages).length > MESSAGES)
        refuse('LIMIT', 'messages', messages.length, `at most ${MESSAGES}`);
      messages.forEach(checkMessage);
      return render({
        ...marks,
        tools: null,
        documents: null,
        add_generation_prompt: addGenerationPrompt ?? true,
        ...variables,
        messages,
      });
    },
  });
  texts.set(template, String(text));
  return Object.freeze(template);
}

/** @param {unknown} options */
function readOptions(options) {
  const { addGenerationPrompt, variables } = read('options', options, [
    'addGenerationPrompt',
    'variables',
  ]);
  if (addGenerationPrompt !== undefined && typeof addGenerationPrompt !== 'boolean')
    refuse('ARG', 'addGenerationPrompt', describe(addGenerationPrompt), 'true or false');
  if (variables === undefined) return { addGenerationPrompt, variables: {} };
  if (!isPlain(variables)) refuse('ARG', 'variables', describe(variables), 'an object');
  if (Object.hasOwn(variables, 'messages'))
    refuse('ARG', 'variables', 'given "messages"', 'them as the first argument');
  if (Object.hasOwn(variables, 'add_generation_prompt') && addGenerationPrompt !== undefined)
    refuse('ARG', 'variables', 'given "add_generation_prompt"', 'that or addGenerationPrompt');
  return { addGenerationPrompt, variables };
}

/** @param {any} message @param {number} at */
function checkMessage(message, at) {
  const { role, content } = message ?? {};
  const name = `messages[${at}]`;
  if (typeof role !== 'string') refuse('ARG', `${name}.role`, describe(role), 'a string');
  if (Array.isArray(content)) {
    for (const [i, part] of content.entries())
      if (typeof part?.type !== 'string')
        refuse(
          'ARG',
          `${name}.content[${i}].type`,
          describe(part?.type),
          'a string, such as "text"',
        );
  } else if (typeof content !== 'string' && content !== null)
    // a message that calls tools may have none
    if (content !== undefined || !message.tool_calls)
      refuse('ARG', `${name}.content`, describe(content), 'a string, null or a list of parts');
}

/**
 * Reads a template. One that cannot be run throws only when it is used, because the model works
 * without it.
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
    // it imports a parser that an application may not have installed
    const { prepare } = await import('./jinja/program.js').catch(missing('@huggingface/jinja'));
    return { render: prepare(text), error: null };
  } catch (cause) {
    const error = /** @type {import('../../errors.js').ClearheadError} */ (cause);
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
 * The text of a token that templates know by its name.
 * @param {ModelFile} file
 * @param {import('../types.d.ts').Tokenizer} tokenizer
 * @param {'bos' | 'eos' | 'unk' | 'pad'} name
 */
function markOf({ metadata, json }, tokenizer, name) {
  const own = json.tokenizerConfig?.[`${name}_token`];
  const text = own?.content ?? own;
  const longer = { unk: 'unknown', pad: 'padding', bos: 'bos', eos: 'eos' }[name];
  const id = metadata.get(`tokenizer.ggml.${longer}_token_id`);
  if (typeof text === 'string') return text;
  return typeof id === 'number' && id < tokenizer.size ? tokenizer.token(id) : undefined;
}
