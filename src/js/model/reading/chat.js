import { refuse } from '../../errors.js';
import { encoding } from '../text/make-tokenizer.js';

/**
 * The prompt of a conversation, in which only the template writes control tokens. If <|im_end|>
 * stands in a message or a variable it stays text; otherwise a user could write the other side's
 * turns.
 *
 * A template may change texts, so they cannot be found again in the rendered text. Therefore the
 * characters of control tokens in them are separated by a mark before. They are then no tokens, and
 * the mark is removed after.
 * @typedef {import('../types.d.ts').Tokenizer} Tokenizer
 * @typedef {import('../types.d.ts').ChatMessage} ChatMessage
 * @typedef {import('../types.d.ts').ChatTemplate} ChatTemplate
 * @typedef {import('../types.d.ts').TemplateOptions} TemplateOptions
 * @typedef {import('../../engine/yield.js').Steps<number[]>} Ids
 */

/** How often a separated token may leave another one; more than one round is very rare. */
const ROUNDS = 8;

/**
 * Begins with the token that begins a text where the file says so, as every text of the model does.
 * Many templates write that token, and some leave it to the tokenizer.
 * @param {readonly ChatMessage[]} messages
 * @param {TemplateOptions} options
 * @param {Tokenizer} tokenizer
 * @param {ChatTemplate} template
 * @param {(prompt: string) => void} check may refuse a prompt that is too long
 * @returns {Ids}
 */
export function* promptOf(messages, options, tokenizer, template, check) {
  const ids = yield* rendered(messages, options, tokenizer, template, check);
  return tokenizer.addsBos && ids[0] !== tokenizer.bos ? [tokenizer.bos, ...ids] : ids;
}

/**
 * @param {readonly ChatMessage[]} messages
 * @param {TemplateOptions} options
 * @param {Tokenizer} tokenizer
 * @param {ChatTemplate} template
 * @param {(prompt: string) => void} check
 * @returns {Ids}
 */
function* rendered(messages, options, tokenizer, template, check) {
  const plain = template.render(messages, options);
  check(plain);
  const all = yield* encoding(tokenizer, plain, { special: true, marks: false });
  const given = { messages, variables: options.variables ?? {} };
  /** @type {string[]} */
  const said = [];
  eachText(given, (text) => (said.push(text), text));
  let forged = false;
  for (const text of said) forged ||= (yield* controls(text, tokenizer)).length > 0;
  if (!forged) return all;
  const mark = markFor(plain + said.join(''));
  /** @type {Map<string, string>} */
  const separated = new Map();
  for (const text of said) separated.set(text, yield* spaced(text, mark, tokenizer));
  const apart = eachText(given, (one) => separated.get(one) ?? one);
  const text = template.render(apart.messages, { ...options, variables: apart.variables });
  const ids = yield* uncounted(encoding(tokenizer, text, { special: true, marks: false }));
  const parts = between(text, ids, tokenizer);
  // a tokenizer may read a stretch by itself in another way; then the mark stays
  const again = yield* joined(parts, tokenizer, (stretch) => stretch);
  return String(again) === String(ids)
    ? yield* joined(parts, tokenizer, (stretch) => stretch.replaceAll(mark, ''))
    : ids;
}

/**
 * Steps whose ids are not those of the prompt.
 * @param {Ids} steps
 * @returns {Ids}
 */
function* uncounted(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield 0;
  }
}

/**
 * @param {(string | number)[]} parts
 * @param {Tokenizer} tokenizer
 * @param {(stretch: string) => string} how a stretch is read
 * @returns {Ids}
 */
function* joined(parts, tokenizer, how) {
  /** @type {number[]} */
  const ids = [];
  for (const part of parts)
    if (typeof part === 'number') ids.push(part);
    else
      for (const id of yield* uncounted(encoding(tokenizer, how(part), { marks: false })))
        ids.push(id);
  return ids;
}

/**
 * The same with every text in it replaced, for example a role, a name or an argument of a call. Its
 * depth is limited by the rendering before.
 * @template T
 * @param {T} x
 * @param {(text: string) => string} f
 * @returns {T}
 */
function eachText(x, f) {
  /** @param {unknown} value @returns {unknown} */
  const replace = (value) => {
    if (typeof value === 'string') return f(value);
    if (typeof value !== 'object' || !value) return value;
    return Array.isArray(value)
      ? value.map(replace)
      : Object.fromEntries(Object.entries(value).map(([name, one]) => [f(name), replace(one)]));
  };
  return /** @type {T} */ (replace(x));
}

/**
 * The ids among these that are control tokens: those that are not shown.
 * @param {number[]} ids
 * @param {Tokenizer} tokenizer
 */
const controlIds = (ids, tokenizer) =>
  ids.filter(
    (id) => tokenizer.decode([id], { continued: true }) === '' && tokenizer.token(id).length > 1,
  );

/**
 * Control tokens that are written out in a text.
 * @param {string} text
 * @param {Tokenizer} tokenizer
 * @returns {import('../../engine/yield.js').Steps<string[]>}
 */
function* controls(text, tokenizer) {
  const ids = yield* uncounted(encoding(tokenizer, text, { special: true, marks: false }));
  return controlIds([...new Set(ids)], tokenizer)
    .map((id) => tokenizer.token(id))
    .filter((token) => text.includes(token));
}

/**
 * A zero-width space, or, where that is in use, a character that no one uses.
 * @param {string} texts
 */
function markFor(texts) {
  for (let code = 0x200b; code <= 0xf8ff; code = code === 0x200b ? 0xe000 : code + 1)
    if (!texts.includes(String.fromCharCode(code))) return String.fromCharCode(code);
  return refuse(
    'ARG',
    'messages',
    'full of private-use characters',
    'one at least that is not used',
  );
}

/**
 * @param {string} text
 * @param {string} mark
 * @param {Tokenizer} tokenizer
 * @returns {import('../../engine/yield.js').Steps<string>}
 */
function* spaced(text, mark, tokenizer) {
  for (let round = 0; round < ROUNDS; round++) {
    const found = yield* controls(text, tokenizer);
    if (!found.length) return text;
    for (const token of found) text = text.replaceAll(token, [...token].join(mark));
  }
  return refuse(
    'ARG',
    'messages',
    'text that the tokenizer always finds control tokens in',
    'text it does not',
  );
}

/**
 * A text as control tokens and the stretches between them.
 * @param {string} text
 * @param {number[]} ids its own
 * @param {Tokenizer} tokenizer
 */
function between(text, ids, tokenizer) {
  /** @type {(string | number)[]} */
  const parts = [];
  let at = 0;
  for (const id of controlIds(ids, tokenizer)) {
    const token = tokenizer.token(id);
    const place = text.indexOf(token, at);
    if (place < 0) continue; // the token for unknown text
    if (place > at) parts.push(text.slice(at, place));
    parts.push(id);
    at = place + token.length;
  }
  return at < text.length ? [...parts, text.slice(at)] : parts;
}
