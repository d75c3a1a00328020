/**
 * The text of a template as tokens of @huggingface/jinja. White space around blocks, comments, raw
 * blocks and literals are read here, since the library reads them in another way than jinja2.
 */
import { parse, tokenize } from '@huggingface/jinja';
import { withFrames } from './frames.js';
import { rewritten } from './rewrite.js';
import { isSpace, strip } from './text.js';
import { mended } from './tree.js';
import { fail, unsupported } from './values.js';

/** @typedef {{ type: string, value: string }} Token */

/** The macro whose calls stand for blocks of this name. */
export const GENERATION = '__generation__';

/** The pieces of code: space, a name, a number, a text, or one character. */
const PIECE = new RegExp(
  [
    '(?<space>\\s+)',
    '(?<name>[A-Za-z_]\\w*)',
    '(?<number>0[xob][\\da-f_]+|\\d[\\d_]*(?:\\.\\d[\\d_]*)?(?:e[+-]?\\d+)?)',
    '(?<text>\'(?:[^\'\\\\]|\\\\[^])*\'|"(?:[^"\\\\]|\\\\[^])*")',
    '(?<other>[^])',
  ].join('|'),
  'iy',
);
const OPEN = /\{(?:%|\{|#)/g;
const ENDS = { '{%': '%}', '{{': '}}', '{#': '#}' };
const RAW = /\s*raw\s*(-?)%\}/y;

/** @param {string} template */
export function treeOf(template) {
  const tokens = tokensOf(template);
  try {
    return withFrames(mended(parse(tokens)));
  } catch (cause) {
    // the parser reads on after the last token
    throw cause instanceof TypeError ? new Error('a block is not closed', { cause }) : cause;
  }
}

/** @param {string} template @returns {Token[]} */
function tokensOf(template) {
  const source = template.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  /** @type {Token[]} */
  const tokens = [];
  const addText = (/** @type {string} */ value) => value && tokens.push({ type: 'Text', value });
  let at = 0;
  for (;;) {
    OPEN.lastIndex = at;
    const found = OPEN.exec(source);
    if (!found) break;
    const tag = /** @type {keyof typeof ENDS} */ (found[0]);
    const before = source.slice(at, found.index);
    const lineStarts = at === 0 || source[at - 1] === '\n';
    let start = found.index + 2;
    const sign = /^[-+]/.exec(source.slice(start, start + 1))?.[0] ?? '';
    start += sign.length;
    addText(trimmedBefore(before, sign, tag !== '{{', lineStarts));
    RAW.lastIndex = start;
    const raw = tag === '{%' && RAW.exec(source);
    if (raw) {
      at = readRaw(source, RAW.lastIndex, raw[1] === '-', addText);
      continue;
    }
    const { code, end } =
      tag === '{#' ? commentAt(source, start) : codeAt(source, start, ENDS[tag]);
    at = afterTag(source, end, tag);
    const statement = tag === '{%';
    if (tag === '{#') continue;
    const [open, close] = statement ? ['{%', '%}'] : ['{{', '}}'];
    // the mark of the tokens that a model wrote: a block with variables of its own
    const plain = code.replace(/^ ?(end)?generation ?$/, (_, end) =>
      end ? 'endcall' : `call ${GENERATION}()`,
    );
    const inside = tokenize(`{{ ${statement ? plain : code} }}`, {}).slice(1, -1);
    tokens.push({ type: statement ? 'OpenStatement' : 'OpenExpression', value: open });
    tokens.push(...rewritten(/** @type {Token[]} */ (inside), statement));
    tokens.push({ type: statement ? 'CloseStatement' : 'CloseExpression', value: close });
  }
  addText(source.slice(at));
  return tokens;
}

/**
 * The text before a tag, without the white space that is not printed.
 * @param {string} text
 * @param {string} sign of the tag
 * @param {boolean} isBlock whether the line before it goes if it is empty
 * @param {boolean} lineStarts whether the text begins a line
 */
function trimmedBefore(text, sign, isBlock, lineStarts) {
  if (sign === '-') return strip(text, null, 'right');
  const line = text.lastIndexOf('\n') + 1;
  if (sign === '+' || !isBlock || (line === 0 && !lineStarts)) return text;
  return strip(text.slice(line), null) === '' ? text.slice(0, line) : text;
}

/**
 * Where the template goes on after a tag.
 * @param {string} source
 * @param {number} end of the code
 * @param {string} tag
 */
function afterTag(source, end, tag) {
  const sign = /[-+]/.exec(source[end])?.[0] ?? '';
  const at = end + sign.length + 2;
  if (sign === '') return tag !== '{{' && source[at] === '\n' ? at + 1 : at;
  let next = at;
  if (sign === '-') while (next < source.length && isSpace(source[next])) next++;
  return next;
}

/** @param {string} source @param {number} start */
function commentAt(source, start) {
  const close = source.indexOf('#}', start);
  if (close < 0) fail('a comment is not closed');
  return { code: '', end: /[-+]/.test(source[close - 1]) && close > start ? close - 1 : close };
}

/**
 * The code of a tag in words that the library reads as jinja2 does, and where it ends.
 * @param {string} source
 * @param {number} start
 * @param {string} close
 */
function codeAt(source, start, close) {
  let code = '';
  let depth = 0;
  for (PIECE.lastIndex = start; ;) {
    const at = PIECE.lastIndex;
    const sign = /[-+]/.test(source[at]) ? 1 : 0;
    if (
      !depth &&
      source.startsWith(close, at + sign) &&
      !(sign && close === '}}' && source[at] === '+')
    )
      return { code, end: at };
    const piece = PIECE.exec(source)?.groups;
    if (!piece) return fail('a tag is not closed');
    const { space, name, number, text, other } = piece;
    if (/^[([{]$/.test(other)) depth++;
    if (/^[)\]}]$/.test(other)) depth--;
    if (space) code += ' ';
    else if (number) code += numeral(number, code.endsWith('.'));
    else code += text ? literal(text.slice(1, -1)) : (name ?? other);
  }
}

/** @param {string} number @param {boolean} isIndex whether it follows a point */
function numeral(number, isIndex) {
  const plain = number.replaceAll('_', '');
  if (isIndex && !/^\d+$/.test(plain)) unsupported(`the index .${number}`);
  if (/^0[xob]/i.test(plain)) return String(Number(plain));
  if (/^0\d/.test(plain)) fail(`the number ${number} begins with 0`);
  const value = Number(plain);
  if (/^\d+$/.test(plain) && !Number.isSafeInteger(value))
    unsupported('a whole number above 2 to the 53rd');
  if (!/e/i.test(plain)) return plain;
  return value < 1e21 && value > 1e-21 ? value.toFixed(40) : unsupported(`the number ${number}`);
}

/** @type {Record<string, string>} */
const ESCAPES = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', a: '\x07', '\n': '' };

/** A text in quotes, of which every unusual character is escaped. @param {string} inner */
function literal(inner) {
  const value = inner.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([^]))/g,
    (all, x, u, long, octal, one) => {
      if (octal) return String.fromCodePoint(parseInt(octal, 8));
      if (x ?? u ?? long) return codePoint(x ?? u ?? long);
      if (/[xuUN]/.test(one)) return unsupported(`the escape ${all}`);
      if (/['"\\]/.test(one)) return one;
      return ESCAPES[one] ?? all;
    },
  );
  const escaped = value.replace(
    /[^\w ]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

/** @param {string} hex */
function codePoint(hex) {
  const code = parseInt(hex, 16);
  return code > 0x10ffff ? fail(`there is no character ${hex}`) : String.fromCodePoint(code);
}

/**
 * @param {string} source
 * @param {number} start of the raw text
 * @param {boolean} trimmed whether white space at its beginning goes
 * @param {(text: string) => void} addText
 * @returns {number} where the template goes on
 */
function readRaw(source, start, trimmed, addText) {
  const end = /\{%([-+]?)\s*endraw\s*(?=[-+]?%\})/g;
  end.lastIndex = start;
  const found = end.exec(source);
  if (!found) return fail('a raw block is not closed');
  const text = trimmedBefore(
    source.slice(start, found.index),
    found[1],
    true,
    source[start - 1] === '\n',
  );
  addText(trimmed ? strip(text, null, 'left') : text);
  return afterTag(source, end.lastIndex, '{%');
}
