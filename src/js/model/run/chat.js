import { refuse } from '../../errors.js';

/**
 * The prompt of a conversation, in which only the template writes control tokens. If <|im_end|>
 * stands in a message it stays text; otherwise a user could write the other side's turns.
 *
 * A template may change messages, so they cannot be found again in the rendered text. Therefore the
 * characters of control tokens in messages are separated by a mark before. They are then no tokens,
 * and the mark is removed after.
 * @typedef {import('../types.d.ts').Tokenizer} Tokenizer
 */

/** How often a separated token may leave another one; more than one round is very rare. */
const ROUNDS = 8;

/**
 * @param {readonly import('../types.d.ts').ChatMessage[]} messages
 * @param {Tokenizer} tokenizer
 * @param {import('../types.d.ts').ChatTemplate} template
 * @returns {number[]} ids
 */
export function promptOf(messages, tokenizer, template) {
  const plain = template.render(messages);
  const all = tokenizer.encode(plain, { special: true, marks: false });
  /** @type {string[]} */
  const said = [];
  eachText(messages, (text) => (said.push(text), text));
  if (!said.some((text) => controls(text, tokenizer).length)) return all;
  const mark = markFor(plain + said.join(''));
  const text = template.render(eachText(messages, (text) => spaced(text, mark, tokenizer)));
  const ids = tokenizer.encode(text, { special: true, marks: false });
  const parts = between(text, ids, tokenizer);
  const joined = (/** @type {(stretch: string) => string} */ how) =>
    parts.flatMap((part) =>
      typeof part === 'number' ? part : tokenizer.encode(how(part), { marks: false }),
    );
  // a tokenizer may read a stretch by itself in another way; then the mark stays
  return String(joined((stretch) => stretch)) === String(ids)
    ? joined((stretch) => stretch.replaceAll(mark, ''))
    : ids;
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
 */
const controls = (text, tokenizer) =>
  controlIds([...new Set(tokenizer.encode(text, { special: true, marks: false }))], tokenizer)
    .map((id) => tokenizer.token(id))
    .filter((token) => text.includes(token));

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

/** @param {string} text @param {string} mark @param {Tokenizer} tokenizer */
function spaced(text, mark, tokenizer) {
  for (let round = 0; round < ROUNDS; round++) {
    const found = controls(text, tokenizer);
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
