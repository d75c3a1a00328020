/**
 * Tokens as the library's parser reads them rightly. A test becomes a filter whose name begins with
 * "is". Parentheses become an attribute named "()", since the parser forgets them.
 */
import { fail, unsupported } from './values.js';

/** @typedef {{ type: string, value: string }} Token */

const KEYWORDS = new Set('if elif else in not and or is set for filter recursive'.split(' '));
const OPENS = { OpenParen: ')', OpenSquareBracket: ']', OpenCurlyBracket: '}' };
const CLOSES = { CloseParen: ')', CloseSquareBracket: ']', CloseCurlyBracket: '}' };

export const GROUP = '()';
export const TUPLE = '(,)';

/** @param {string} type @param {string} value @returns {Token} */
const token = (type, value) => ({ type, value });
/** @param {Token | undefined} one @param {string} [value] */
const isName = (one, value) =>
  one?.type === 'Identifier' && (value === undefined || one.value === value);

/**
 * Whether an operand ends with this token.
 * @param {Token | undefined} one
 * @param {Token} [before]
 */
const endsOperand = (one, before) =>
  one !== undefined &&
  (one.type in CLOSES ||
    /Literal$/.test(one.type) ||
    (isName(one) && (before?.type === 'Dot' || !KEYWORDS.has(one.value))));

/**
 * @param {Token[]} tokens of one tag
 * @param {boolean} statement
 * @returns {Token[]}
 */
export function rewritten(tokens, statement) {
  if (!statement) return expression(tokens);
  const [name] = tokens;
  if (isName(tokens.at(-1), 'recursive') && isName(name, 'for')) unsupported('a recursive loop');
  if (isName(name, 'filter') && tokens.some(({ type }) => type === 'Pipe'))
    unsupported('a block of several filters');
  return expression(isName(name, 'for') ? withTuple(tokens) : tokens);
}

/**
 * Puts parentheses around the items of a loop over a bare tuple: for x in 1, 2.
 * @param {Token[]} tokens
 */
function withTuple(tokens) {
  const from = tokens.findIndex((one) => isName(one, 'in')) + 1;
  let depth = 0;
  let isTuple = false;
  let to = from;
  for (; to < tokens.length && (depth > 0 || !isName(tokens[to], 'if')); to++) {
    depth += Number(tokens[to].type in OPENS) - Number(tokens[to].type in CLOSES);
    isTuple ||= depth === 0 && tokens[to].type === 'Comma';
  }
  if (!isTuple) return tokens;
  const [head, items, rest] = [tokens.slice(0, from), tokens.slice(from, to), tokens.slice(to)];
  return [...head, token('OpenParen', '('), ...items, token('CloseParen', ')'), ...rest];
}

/** @param {Token[]} tokens @returns {Token[]} */
function expression(tokens) {
  /** @type {Token[]} */
  const out = [];
  /** Open brackets. @type {{ at: number, groups: boolean, commas: number }[]} */
  const open = [];
  for (let i = 0; i < tokens.length; i++) {
    const one = tokens[i];
    const before = tokens[i - 1];
    const after = endsOperand(before, tokens[i - 2]);
    if (/^[-+]/.test(one.value) && one.type !== 'StringLiteral') {
      // the library makes some signs a part of the number that follows
      const type = after ? 'AdditiveBinaryOperator' : 'UnaryOperator';
      out.push(token(type, one.value[0]));
      if (one.type === 'NumericLiteral') out.push(token(one.type, one.value.slice(1)));
      continue;
    }
    if (isName(one, 'is') && after && before.type !== 'Dot') {
      const end = test(tokens, i + 1, out);
      i = end - 1;
      continue;
    }
    if (after && open.length && startsOperand(one) && !bothTexts(before, one))
      fail(`a comma is missing before "${one.value}"`);
    if (one.type === 'OpenSquareBracket' && tokens[i - 2]?.type === 'Pipe')
      fail('an index follows a filter without parentheses');
    if (one.type in OPENS)
      open.push({ at: out.length, groups: one.type === 'OpenParen' && !after, commas: 0 });
    if (one.type === 'Comma' && open.length) {
      /** @type {any} */ (open.at(-1)).commas++;
      // a comma after the last item
      if (tokens[i + 1] && tokens[i + 1].type in CLOSES && open.at(-1)?.commas !== 1) continue;
    }
    if (one.type in CLOSES) {
      const opened = open.pop();
      if (opened?.groups) {
        close(out, opened, before);
        continue;
      }
    }
    out.push(one);
  }
  return out;
}

/** @param {Token} one */
const startsOperand = (one) =>
  /Literal$/.test(one.type) ||
  one.type === 'OpenCurlyBracket' ||
  (isName(one) && !KEYWORDS.has(one.value));
/** @param {Token} a @param {Token} b */
const bothTexts = (a, b) => a.type === 'StringLiteral' && b.type === 'StringLiteral';

/**
 * Ends a pair of parentheses around an expression or a tuple.
 * @param {Token[]} out
 * @param {{ at: number, commas: number }} opened
 * @param {Token} before the last token inside
 */
function close(out, { at, commas }, before) {
  const trailing = before.type === 'Comma';
  const isTuple = commas > 0 || out.length === at + 1;
  if (isTuple && (commas === 0 || (trailing && commas === 1))) {
    // a tuple of none or one, which the parser does not know
    if (trailing) out.pop();
    out[at] = token('OpenSquareBracket', '[');
    out.push(token('CloseSquareBracket', ']'));
  } else {
    out.push(token('CloseParen', ')'));
    if (isTuple) return;
  }
  out.push(token('Dot', '.'), token('Identifier', isTuple ? TUPLE : GROUP));
}

/**
 * Writes a test as a filter.
 * @param {Token[]} tokens
 * @param {number} at the token after `is`
 * @param {Token[]} out
 * @returns {number} the token after the test
 */
function test(tokens, at, out) {
  const negated = isName(tokens[at], 'not');
  const name = tokens[at + Number(negated)];
  let end = at + Number(negated) + 1;
  if (!isName(name)) fail('a test has no name');
  out.push(token('Pipe', '|'), token('Identifier', `is ${negated ? 'not ' : ''}${name.value}`));
  const first = tokens[end];
  if (first?.type === 'OpenParen') {
    const to = closing(tokens, end);
    out.push(first, ...expression(tokens.slice(end + 1, to)), tokens[to]);
    return to + 1;
  }
  if (!first || !(startsOperand(first) || first.type === 'OpenSquareBracket')) {
    if (isName(first) && !/^(else|or|and)$/.test(first.value))
      fail(`"${first.value}" follows a test without parentheses`);
    return end;
  }
  if (first.type in OPENS) end = closing(tokens, end);
  for (end++; tokens[end] && bothTexts(tokens[end - 1], tokens[end]);) end++;
  for (;;) {
    const next = tokens[end];
    if (next?.type === 'Dot') end += 2;
    else if (next?.type === 'OpenParen' || next?.type === 'OpenSquareBracket')
      end = closing(tokens, end) + 1;
    else break;
  }
  const argument = expression(tokens.slice(at + Number(negated) + 1, end));
  out.push(token('OpenParen', '('), ...argument, token('CloseParen', ')'));
  return end;
}

/** Where the bracket at a place is closed. @param {Token[]} tokens @param {number} at */
function closing(tokens, at) {
  for (let i = at, depth = 0; i < tokens.length; i++) {
    depth += Number(tokens[i].type in OPENS) - Number(tokens[i].type in CLOSES);
    if (depth === 0) return i;
  }
  return fail('a bracket is not closed');
}
