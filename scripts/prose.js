/**
 * Lists the sentences that are hard to read: in comments, documents and messages to people.
 * A sentence has at most 25 words and two commas, and none of the words that only we would know.
 *
 *   node scripts/prose.js            fails above the number of faults that is still allowed
 *   node scripts/prose.js FILE…      lists the faults of these files or folders
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

process.chdir(new URL('..', import.meta.url).pathname);

const WORDS = 25;
const COMMAS = 2;
/** How many faults are left. It falls and never rises. */
const ALLOWED = 10;

/** Words with a private meaning, and what the field says instead (CONTRIBUTING.md, glossary). */
const PRIVATE = {
  wild: 'not finite',
  abreast: 'side by side',
  room: 'memory, scratch, folder',
  rooms: 'folders',
  arrow: 'import, include',
  arrows: 'imports, includes',
  fours: 'quads',
  wish: 'request',
};
/** Turns of phrase that must be decoded. */
const TURNS = [
  [/\b(of|in|for|by|to|from|with|than|over|on|and|but|is|as|or) what\b/i, 'a clause with “what”'],
  [/^what\b/i, 'a clause with “what”'],
  [/\bso (many|much)\b(?! (as|that))/i, '“so many”'],
  [
    /\bwho(ever)? (asks|gives|takes|reads|has|is|wants|needs|calls|wrote)\b/i,
    '“who” without a noun',
  ],
];

const asked = process.argv.slice(2);
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...asked], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.([ch]|js|mjs|ts|md)$/.test(file) && !/node_modules/.test(file));

/** The comments of a source file with the line each begins at, tags and code left out. */
function comments(text) {
  const found = [];
  const pattern = /\/\*\*?([\s\S]*?)\*\/|(?:^|[\s;,{}()])\/\/(?!\/)((?:.*)(?:\n\s*\/\/.*)*)/gm;
  for (const match of text.matchAll(pattern)) {
    const words = (match[1] ?? match[2])
      .split('\n')
      .map((line) => line.replace(/^\s*(\*|\/\/) ?/, ''))
      // code, formulas and tables are indented
      .map((line) => (/^\s{2,}|^\|/.test(line) ? '' : line))
      .join('\n')
      .replace(/\{@?[^}]*\}/g, '')
      .replace(/@(type|typedef|template|enum|callback|implements|extends)\b[^\n]*/g, '')
      .replace(/@(param|property|throws|returns?)\s*/g, '. ');
    found.push([text.slice(0, match.index).split('\n').length, words]);
  }
  return found;
}

/** The prose of a Markdown file: without code, tables and links’ addresses. */
function paragraphs(text) {
  const prose = text
    .replace(/```[\s\S]*?```/g, (code) => code.replace(/[^\n]/g, ''))
    .replace(/^\s*(\||#|<).*$/gm, '')
    .replace(/\]\([^)]*\)/g, ']');
  return [...prose.matchAll(/(?:^.+$\n?)+/gm)].map((match) => [
    prose.slice(0, match.index).split('\n').length,
    match[0].replace(/^\s*([-*]|\d+\.) /gm, '. '),
  ]);
}

/** Cuts prose into sentences. Code in backticks counts as one word. */
function sentences(text) {
  return text
    .replace(/`[^`]*`/g, 'code')
    .replace(/\([^()]*\)/g, (inside) => inside.replace(/,/g, ''))
    .replace(/\b(e\.g|i\.e|vs|cf|Eq|No)\./g, '$1')
    .split(/[.;:!?]+(?=\s|$)|\n\s*\n/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
}

const faults = [];
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  for (const [line, prose] of file.endsWith('.md') ? paragraphs(text) : comments(text))
    for (const sentence of sentences(prose)) {
      const words = sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word));
      const commas = sentence.split(/,(?=\s)/).length - 1;
      const why = [];
      if (words.length > WORDS) why.push(`${words.length} words`);
      if (commas > COMMAS) why.push(`${commas} commas`);
      for (const word of words) {
        const plain = word.toLowerCase().replace(/[^a-z]/g, '');
        if (Object.hasOwn(PRIVATE, plain)) why.push(`“${plain}”: say ${PRIVATE[plain]}`);
      }
      for (const [turn, name] of TURNS) if (turn.test(sentence)) why.push(name);
      if (why.length) faults.push(`${file}:${line}: ${why.join(', ')}: ${sentence.slice(0, 90)}`);
    }
}

if (asked.length || faults.length > ALLOWED) console.error(faults.join('\n'));
console.log(`${faults.length} sentences are hard to read`);
if (!asked.length && faults.length > ALLOWED) {
  console.error(`expected at most ${ALLOWED}`);
  process.exitCode = 1;
}
