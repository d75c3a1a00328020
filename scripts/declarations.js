/**
 * Finds statements of C that declare more than one name, and two statements that a comma joins.
 * eslint's `one-var` and `no-sequences` do so for JavaScript.
 *
 *   node scripts/declarations.js file…
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/** Starts a statement that is no declaration, though two words follow each other in it. */
const NO_TYPE = /^(?:return|goto|typedef|sizeof)\b/;
/** A type, which has one word or more, and a name after it. */
const DECLARES =
  /^(?:\w+\s+)*\w+(?:\s+|\s*\*[\s*]*(?:const\s+|restrict\s+)*)[A-Za-z_]\w*\s*[[=,:(]/;
/** Names behind the body of a struct. */
const NAMES = /^\**\w+\s*,/;
/** Begins a macro of values for fields. */
const FIELDS = /^\s*\./;
/** Stands before a statement. */
const LABELS = /^\s*(?:(?:else|do|(?:case\b[^:]*|\w+)\s*:)\s*)*/;

const blank = (text) => text.replace(/[^\n]/g, ' ');

/** The source with blanks for comments, strings and directives; lines stay as they were. */
function bare(source) {
  return source
    .replace(/\/\*[^]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, blank)
    .replace(/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*\n/gm, directive);
}

/** A macro's body is code too, and ends where the directive ends. */
function directive(text) {
  const head = text.match(/^\s*#\s*define\s+\w+(?:\([^)]*\))?/)?.[0];
  if (!head) return blank(text);
  const body = text.slice(head.length).replace(/\\\n/g, ' \n');
  return `${blank(head)}${body.slice(0, -1)};\n`;
}

/** Whether it is a declaration with a comma outside all brackets. */
function declaresSeveral(statement, isBehindBody) {
  const text = statement.replace(LABELS, '');
  const declares = DECLARES.test(text) || (isBehindBody && NAMES.test(text));
  return declares && !NO_TYPE.test(text) && hasComma(text);
}

/** Whether a comma outside all brackets joins two statements, neither a declaration. */
const isSequence = (statement) => !FIELDS.test(statement) && hasComma(statement);

function hasComma(text) {
  let depth = 0;
  for (const char of text) {
    if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    else if (char === ',' && depth === 0) return true;
  }
  return false;
}

/** The statements of bare code, and the first clause of each `for`: `[start, end, isClause]`. */
function* statements(code) {
  let start = 0;
  let depth = 0; // of parentheses, and of braces around values
  for (let at = 0; at < code.length; at++) {
    const char = code[at];
    const opensValues = char === '{' && (depth > 0 || /=\s*$/.test(code.slice(start, at)));
    if (char === '(' || opensValues) depth++;
    else if (depth > 0 && ')}'.includes(char)) depth--;
    else if (depth === 0 && '{;}'.includes(char)) {
      yield [start, at];
      start = at + 1;
    }
  }
  for (const { index, 0: head } of code.matchAll(/\bfor\s*\(/g))
    yield [index + head.length, code.indexOf(';', index), true];
}

/** The lines, from 1 on, of the statements that say more than one thing: `{ line, why }`. */
export function severalIn(source) {
  const code = bare(source);
  const lineOf = (offset) => code.slice(0, offset).split('\n').length;
  const found = [];
  for (const [start, end, isClause] of statements(code)) {
    const text = code.slice(start, end);
    const isBehindBody = code[start - 1] === '}' && code[end] === ';';
    if (declaresSeveral(text, isBehindBody)) found.push([end, 'declares several names']);
    else if (!isClause && code[end] === ';' && isSequence(text))
      found.push([end, 'is two statements with a comma']);
  }
  return found.map(([end, why]) => ({ line: lineOf(end), why }));
}

function main(files) {
  for (const file of files)
    for (const { line, why } of severalIn(readFileSync(file, 'utf8'))) {
      console.error(`${file}:${line}: ${why}, expected one in each statement`);
      process.exitCode = 1;
    }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.slice(2));
