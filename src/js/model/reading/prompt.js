import { ClearheadError, describe, refuse } from '../../errors.js';
import { runYielding } from '../../engine/yield.js';
import { encoding, minTokens } from '../text/make-tokenizer.js';
import { promptOf } from './chat.js';
import { checkTokens } from './tokens.js';

/**
 * Prompts become ids in steps. The first step is taken at once, which is enough for a short prompt
 * and its errors. The others leave the thread to others, as reading the ids does.
 * @typedef {import('../run/model.js').Model} Model
 * @typedef {import('../../engine/yield.js').Steps<number[]>} Ids
 */

/**
 * The ids of a text, or ids as they are.
 * @param {Model} model
 * @param {unknown} prompt
 * @returns {Ids}
 */
export function* textPrompt({ tokenizer, config, sequence }, prompt) {
  if (typeof prompt !== 'string') return checkTokens(prompt, config, 'prompt', 'text or ids');
  if (!tokenizer) refuse('ARG', 'prompt', describe(prompt), 'ids: the model has no tokenizer');
  checkLength(prompt, tokenizer, sequence.capacity);
  return checkTokens(yield* encoding(tokenizer, prompt), config, 'prompt');
}

/**
 * The ids of a conversation.
 * @param {Model} model
 * @param {unknown} messages
 * @param {import('../types.d.ts').TemplateOptions} options
 * @returns {Ids}
 */
export function* chatPrompt({ tokenizer, template, config, sequence }, messages, options) {
  if (!tokenizer || !template)
    throw new ClearheadError(
      'ARG',
      'this model has no chat template; expected one, or a prompt for generate',
    );
  const ids = yield* promptOf(
    /** @type {import('../types.d.ts').ChatMessage[]} */ (messages),
    options,
    tokenizer,
    template,
    (text) => checkLength(text, tokenizer, sequence.capacity),
  );
  return checkTokens(ids, config, 'prompt');
}

/**
 * A prompt whose first step is taken.
 * @param {Ids} steps
 * @param {number} capacity of the context
 * @returns {(check: () => void) => number[] | Promise<number[]>} all its ids; `check` may throw
 *   after each wait
 */
export function begun(steps, capacity) {
  const first = steps.next();
  checkCount(first.done ? first.value.length : first.value, capacity, first.done);
  if (first.done) return () => first.value;
  return async (check) => {
    const ids = await runYielding(steps, (count) => {
      check();
      checkCount(count, capacity, false);
    });
    checkCount(ids.length, capacity, true);
    return ids;
  };
}

/**
 * @param {number} count of ids
 * @param {number} capacity
 * @param {boolean | undefined} all whether they are all
 */
function checkCount(count, capacity, all) {
  if (count > capacity)
    throw new ClearheadError(
      'LIMIT',
      `the prompt has ${all ? '' : 'at least '}${count} tokens; ` +
        `expected at most ${capacity}, the context`,
    );
}

/**
 * Refuses a text that cannot fit, before it is encoded.
 * @param {string} text
 * @param {import('../types.d.ts').Tokenizer} tokenizer
 * @param {number} capacity
 */
const checkLength = (text, tokenizer, capacity) =>
  checkCount(minTokens(tokenizer, text.length), capacity, false);
