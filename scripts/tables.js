/** Writes the tables of documents and the page: statements from their list, options from types. */
import { readFileSync } from 'node:fs';
import { STATEMENTS } from '../src/cli/statement-list.js';

const codes = (functions) => functions.map((name) => `\`${name}\``).join(', ');

function markdownTable() {
  const rows = STATEMENTS.map(({ number, name, words, formula, functions, engine, source }) => {
    const place = engine ?? codes(functions);
    return `| ${number} | **${name}**: ${words} | ${formula} | ${place} | ${source} |`;
  });
  const head = '| | statement | formula | function | source |\n|---|---|---|---|---|';
  return `\n\n${head}\n${rows.join('\n')}\n\n`;
}

/** Indices set low: p_j, o_1, W_O,h. */
const lowered = (formula) => formula.replace(/_(\w(?:,\w)?)/g, '<sub>$1</sub>');

/** A formula too wide for one line of the page continues behind its last equals sign. */
const broken = (formula) =>
  formula.length > 80 ? formula.replace(/ = (?!.* = )/, ' =\n            ') : formula;

function pageTable() {
  const rows = STATEMENTS.map(
    ({ number, name, words, formula, page }) =>
      `          <tr><th scope="row">${number}</th><td>${name}\n` +
      `            <span class="proof-words">\n              ${lowered(words)}</span></td>\n` +
      `          <td>${broken(lowered(formula))}</td>\n          <td>${page}</td></tr>\n`,
  );
  return `\n${rows.join('')}          `;
}

/**
 * The members of an interface with their comments, as rows of Markdown.
 * @param {string} types the text of a .d.ts file
 * @param {string} name of the interface
 */
function memberRows(types, name) {
  const [, body] = types.match(new RegExp(`^export interface ${name}\\b.*?\\{\\n(.*?)^\\}`, 'ms'));
  const members = body.matchAll(/(?:^ {2}\/\*\*(.*?)\*\/\n)?^ {2}(\w+)\??:/gms);
  return [...members].map(([, comment = '', member]) => {
    const words = comment
      .replace(/^\s*\*/gm, '')
      .replace(/\s+/g, ' ')
      .trim();
    return `| \`${member}\` | ${words.replaceAll('|', '\\|')} |`;
  });
}

/** @param {string} types */
function optionsTable(types) {
  const rows = ['AttentionOptions', 'AttendOptions'].flatMap((name) => memberRows(types, name));
  return `\n\n| option | |\n|---|---|\n${rows.join('\n')}\n\n`;
}

/**
 * The files with their tables, by path. A table stands between two comments with its name.
 * @param {string} root
 */
export function tables(root) {
  const put = (path, name, table) => {
    const text = readFileSync(`${root}${path}`, 'utf8');
    const parts = text.split(new RegExp(`(<!-- /?${name} -->)`));
    if (parts.length !== 5) throw new Error(`${path} has no two comments around its ${name}`);
    return [path, [...parts.slice(0, 2), table, ...parts.slice(3)].join('')];
  };
  const types = readFileSync(`${root}src/js/attention/types.d.ts`, 'utf8');
  return Object.fromEntries([
    put('docs/guide.md', 'options', optionsTable(types)),
    put('docs/statements.md', 'statements', markdownTable()),
    put('web/index.html', 'statements', pageTable()),
  ]);
}
