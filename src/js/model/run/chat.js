import { refuse } from '../../errors.js';

/**
 * The prompt of a conversation, where only the template writes control tokens: one that stands in a
 * message, such as <|im_end|>, stays text, or a user could write the other side's turns.
 *
 * A template may do anything with a message, so what is said cannot be found again in what it
 * renders. Control tokens in messages are therefore spaced out with a mark before, which keeps them
 * from being taken for tokens, and the mark is taken out after.
 * @typedef {import('../types.d.ts').Tokenizer} Tokenizer
 */

/** How often spacing out may bring another token to light, which takes an odd vocabulary. */
const ROUNDS = 8;

/**
 * @param {any} messages
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
  // a tokenizer may read a stretch in another way where it stands alone; then the mark stays
  return String(joined((stretch) => stretch)) === String(ids)
    ? joined((stretch) => stretch.replaceAll(mark, ''))
    : ids;
}

/**
 * The same with every text in it replaced, wherever a template may find it: a role, a name, the
 * arguments of a call. It has been rendered before, which is where its depth is limited.
 * @param {any} x
 * @param {(text: string) => string} f
 * @returns {any}
 */
function eachText(x, f) {
  if (typeof x === 'string') return f(x);
  if (typeof x !== 'object' || !x) return x;
  return Array.isArray(x)
    ? x.map((one) => eachText(one, f))
    : Object.fromEntries(Object.entries(x).map(([name, one]) => [f(name), eachText(one, f)]));
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
    if (place < 0) continue; // the token for what is unknown
    if (place > at) parts.push(text.slice(at, place));
    parts.push(id);
    at = place + token.length;
  }
  return at < text.length ? [...parts, text.slice(at)] : parts;
}
