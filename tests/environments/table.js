/** The table of docs/environments.md: the rows that were seen, each under its name. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/package/repository.js';

const FILE = join(root, 'docs/environments.md');
const HEAD =
  '| | import | set-up | attention | model | threads | model in a worker | attention in a worker |';
const LINE = '|---|---|---|---|---|---|---|---|';

/** @param {{ name: string, cells: string[] }} row */
const lineOf = ({ name, cells }) => `| ${[name, ...cells].join(' | ')} |`;

/**
 * Writes the rows into the document. Rows of environments that were not run stay as they are.
 * @param {{ name: string, cells: string[] }[]} rows
 * @param {string[]} names of all environments, in order
 */
export function writeTable(rows, names) {
  const text = readFileSync(FILE, 'utf8');
  const [before, table, after] = text.split(/(?<=<!-- seen -->\n)|(?=\n<!-- \/seen -->)/);
  const lines = new Map(
    table
      .split('\n')
      .filter((line) => line.startsWith('| ') && line !== HEAD)
      .map((line) => [line.slice(2, line.indexOf(' |')), line]),
  );
  for (const row of rows) lines.set(row.name, lineOf(row));
  const seen = names.filter((name) => lines.has(name)).map((name) => lines.get(name));
  writeFileSync(FILE, [before, ['', HEAD, LINE, ...seen, ''].join('\n'), after].join(''));
}
