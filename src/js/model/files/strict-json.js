import { ClearheadError } from '../../errors.js';

/**
 * JSON for the headers of files: every name once in an object, no deep nesting, all numbers counts.
 * Objects become maps, so that `__proto__` is a name like any other. (JSON.parse keeps the last of
 * two equal names and says nothing.)
 */

const DEPTH = 8;
const SPACE = /[ \t\n\r]*/y;
const COUNT = /(?:0|[1-9]\d*)(?![\d.eE])/y;
const WORD = /true|false|null/y;
// a string without escapes; control characters are not allowed in any
const PLAIN = /"([^"\\\u0000-\u001f]*)"/y;

/** @param {string} text @param {string} name of the file, for errors @returns {unknown} */
export function parseStrict(text, name) {
  let at = 0;
  /** @param {string} expected @returns {never} */
  const refuse = (expected) => {
    throw new ClearheadError(
      'FORMAT',
      `${name}: the JSON header at character ${at} is ` +
        `${JSON.stringify(text.slice(at, at + 20))}; expected ${expected}`,
    );
  };
  /** @param {RegExp} pattern */
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  /** @param {string} mark */
  const mark = (mark) => {
    match(SPACE);
    return text[at] === mark && ++at > 0;
  };
  const string = () => match(PLAIN)?.[1] ?? escaped();
  /**
   * From one quotation mark to the next that is not escaped. A regular expression would remember
   * each of millions of characters.
   */
  const escaped = () => {
    let end = text[at] === '"' ? at + 1 : refuse('a string');
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    try {
      const found = JSON.parse(text.slice(at, end + 1));
      at = end + 1;
      return found;
    } catch {
      return refuse('a string');
    }
  };

  /** @param {number} depth @returns {unknown} */
  const value = (depth) => {
    if (depth > DEPTH) refuse(`nesting of at most ${DEPTH}`);
    if (mark('{')) return object(depth);
    if (mark('[')) return array(depth);
    if (text[at] === '"') return string();
    const count = match(COUNT)?.[0];
    if (count !== undefined)
      return Number.isSafeInteger(Number(count)) ? Number(count) : refuse('a number below 2^53');
    return JSON.parse(match(WORD)?.[0] ?? refuse('an object, an array, a string or a count'));
  };
  /** @param {number} depth */
  const object = (depth) => {
    const map = new Map();
    if (mark('}')) return map;
    do {
      match(SPACE);
      const key = string();
      if (map.has(key)) refuse(`each name once, not ${JSON.stringify(key.slice(0, 60))} twice`);
      if (!mark(':')) refuse('":"');
      map.set(key, value(depth + 1));
    } while (mark(','));
    return mark('}') ? map : refuse('"," or "}"');
  };
  /** @param {number} depth */
  const array = (depth) => {
    /** @type {unknown[]} */
    const items = [];
    if (mark(']')) return items;
    do items.push(value(depth + 1));
    while (mark(','));
    return mark(']') ? items : refuse('"," or "]"');
  };

  const all = value(0);
  match(SPACE);
  return at === text.length ? all : refuse('the end');
}
