/**
 * JSON.parse in short steps, for a large tokenizer.json. Elements are parsed in batches. Only one
 * that is larger than a batch is looked into.
 * @typedef {import('../../engine/yield.js').Steps<unknown>} Steps
 * @typedef {{ value: unknown, end: number }} Found a value and the place behind it
 */

/** Characters in one step. */
const STEP = 2 ** 16;

/** An object with more names becomes a map, because to list its names would take long. */
const MAX_NAMES = 4096;

/** Large values within each other, at most. */
const MAX_DEPTH = 16;

const [QUOTE, BACKSLASH, COMMA] = Array.from('"\\,', (c) => c.charCodeAt(0));
const OPENING = Array.from('[{', (c) => c.charCodeAt(0));
const CLOSING = Array.from(']}', (c) => c.charCodeAt(0));

/**
 * The value of a text, in which objects of more than 4096 names are maps.
 * @param {string} text
 * @param {number} [step] characters in one
 * @returns {Steps} throws SyntaxError, as JSON.parse does
 */
export function* parseInSteps(text, step = STEP) {
  const begin = skipSpace(text, 0);
  if (text.length <= step || !OPENING.includes(text.charCodeAt(begin))) return JSON.parse(text);
  const { value, end } = yield* parseLarge(text, begin, step, 0);
  if (skipSpace(text, end) < text.length) throw new SyntaxError(`something follows at ${end}`);
  return value;
}

/**
 * @param {string} text
 * @param {number} begin of the value
 * @param {number} step
 * @param {number} depth
 * @returns {Generator<number, Found, void>}
 */
function* parseLarge(text, begin, step, depth) {
  const kind = OPENING.indexOf(text.charCodeAt(begin));
  if (kind < 0) {
    const end = endOfScalar(text, begin);
    return { value: JSON.parse(text.slice(begin, end)), end };
  }
  if (depth > MAX_DEPTH) throw new SyntaxError(`large values nested more than ${MAX_DEPTH} deep`);
  /** @type {unknown[]} */
  const items = [];
  /** @type {Map<string, unknown>} */
  const fields = new Map();
  let from = begin + 1; // of the elements that are not added yet
  /** Adds the elements of a stretch. @param {string} stretch */
  const add = (stretch) => {
    if (!stretch.trim()) throw new SyntaxError(`an element is missing behind ${from}`);
    if (kind) for (const [key, x] of Object.entries(JSON.parse(`{${stretch}}`))) fields.set(key, x);
    else for (const x of JSON.parse(`[${stretch}]`)) items.push(x);
  };
  const all = () => (!kind ? items : fields.size > MAX_NAMES ? fields : Object.fromEntries(fields));
  for (let at = from; ;) {
    const end = endOfElement(text, at, step);
    if (end >= 0 && text.charCodeAt(end) !== COMMA) {
      const rest = text.slice(from, end);
      if (text.charCodeAt(end) !== CLOSING[kind]) throw new SyntaxError(`no end at ${end}`);
      if (from > begin + 1 || rest.trim()) add(rest);
      return { value: all(), end: end + 1 };
    }
    if (end >= 0) {
      at = end + 1;
      if (at - from < step) continue;
      add(text.slice(from, end));
    } else {
      if (at > from) add(text.slice(from, at - 1));
      const name = kind ? endOfName(text, at) : at;
      const found = yield* parseLarge(text, skipSpace(text, kind ? name + 1 : at), step, depth + 1);
      if (kind) fields.set(JSON.parse(text.slice(at, name)), found.value);
      else items.push(found.value);
      at = skipSpace(text, found.end);
      if (text.charCodeAt(at) === COMMA) at++;
      else if (text.charCodeAt(at) !== CLOSING[kind])
        throw new SyntaxError(`neither a comma nor the end at ${at}`);
      else return { value: all(), end: at + 1 };
    }
    from = at;
    yield 0;
  }
}

/** @param {string} text @param {number} at */
function skipSpace(text, at) {
  while (/[ \t\n\r]/.test(text.charAt(at))) at++;
  return at;
}

/** Where the quotation mark that ends a string is. @param {string} text @param {number} at */
function endOfString(text, at) {
  while (at < text.length && text.charCodeAt(at) !== QUOTE)
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** Where a string or a word ends. @param {string} text @param {number} at */
function endOfScalar(text, at) {
  if (text.charCodeAt(at) === QUOTE) return endOfString(text, at + 1) + 1;
  const word = /[-+.\w]*/y;
  word.lastIndex = at;
  word.test(text);
  return word.lastIndex;
}

/** Where the colon behind a name is. @param {string} text @param {number} at */
function endOfName(text, at) {
  const begin = skipSpace(text, at);
  const end = skipSpace(text, endOfString(text, begin + 1) + 1);
  if (text.charAt(begin) !== '"' || text.charAt(end) !== ':')
    throw new SyntaxError(`no name at ${at}`);
  return end;
}

/**
 * Where the comma or bracket behind an element is, or −1 if it is longer than a step.
 * @param {string} text
 * @param {number} at
 * @param {number} step
 */
function endOfElement(text, at, step) {
  const max = Math.min(text.length, at + step);
  for (let depth = 0; at < max; at++) {
    const c = text.charCodeAt(at);
    if (c === QUOTE) at = endOfString(text, at + 1);
    else if (OPENING.includes(c)) depth++;
    else if (!depth && (c === COMMA || CLOSING.includes(c))) return at;
    else if (CLOSING.includes(c)) depth--;
  }
  return -1;
}
