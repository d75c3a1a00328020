/** The tables of the statements in docs/statements.md and the page, from their one list. */
import { readFileSync } from 'node:fs';
import { STATEMENTS } from '../src/js/theory/statements.js';

const codes = (functions) =>
  Object.keys(functions)
    .map((name) => `\`${name}\``)
    .join(', ');

function markdownTable() {
  const rows = STATEMENTS.map(
    ({ number, name, formula, functions, engine }) =>
      `| ${number} | ${name}: ${formula} | ${engine ?? codes(functions)} |`,
  );
  return `\n\n| | statement | function |\n|---|---|---|\n${rows.join('\n')}\n\n`;
}

/** Indices set low: p_j, o_1, W_O,h. */
const lowered = (formula) => formula.replace(/_(\w(?:,\w)?)/g, '<sub>$1</sub>');

function pageTable() {
  const rows = STATEMENTS.map(
    ({ number, name, formula, page }) =>
      `          <tr><th scope="row">${number}</th><td>${name}</td>\n` +
      `          <td>${lowered(formula)}</td>\n          <td>${page}</td></tr>\n`,
  );
  return `\n${rows.join('')}          `;
}

/**
 * The files with their tables, by path. A table stands between two comments.
 * @param {string} root
 */
export function tables(root) {
  const put = (path, table) => {
    const text = readFileSync(`${root}${path}`, 'utf8');
    const parts = text.split(/(<!-- \/?statements -->)/);
    if (parts.length !== 5) throw new Error(`${path} has no two comments around its statements`);
    return [path, [...parts.slice(0, 2), table, ...parts.slice(3)].join('')];
  };
  return Object.fromEntries([
    put('docs/statements.md', markdownTable()),
    put('web/index.html', pageTable()),
  ]);
}
