/**
 * Lists the sentences that are hard to read, in comments, messages, documents and pages. It also
 * lists the names that only we would understand. CONTRIBUTING.md has the rules and the glossary.
 *
 *   node scripts/prose.js            fails if there are more faults than are allowed
 *   node scripts/prose.js FILE…      lists the faults of these files or folders
 *
 * A sentence ends at a full stop, colon, semicolon, question mark or exclamation mark. A table cell
 * and a list item are sentences of their own. Code, formulas and headings are not checked.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { proseOf, withoutComments } from './prose-of-files.js';

const MAX_WORDS = 25;
const MAX_COMMAS = 2;
/** An item of a list, as in “browsers, workers, Node and Bun”, has at most this many words. */
const ITEM_WORDS = 3;
/** This file names the words that it looks for. */
const SELF = 'scripts/prose.js';
/** How many faults are allowed. */
const ALLOWED_SENTENCES = 0;
const ALLOWED_NAMES = 0;

/** Words with a private meaning, and the words to use instead. */
const PRIVATE_WORDS = {
  abreast: 'side by side',
  arrow: 'import, include',
  arrows: 'imports, includes',
  face: 'public view',
  fours: 'quads',
  held: 'stored, has, compared with',
  lest: 'so that … not',
  room: 'memory, scratch, space, folder',
  rooms: 'folders',
  whoever: 'a noun',
  wild: 'not finite',
  wish: 'request',
};
/** Uses of those words that everybody knows. */
const KNOWN_USES = /\barrow[- ](keys?|functions?)\b/gi;

/** Turns of phrase that a reader has to decode. */
const PHRASES = [
  [/\b(inputs?|vectors?|tokens?|quer(y|ies)) alone\b/i, '“alone”: say one input, by itself'],
  [/\b(in|by) turns\b/i, '“turns”: say alternately'],
  [/\bthat (is|are) left\b(?! (out|over|alone|blank|open))/i, '“left”: say remain'],
  [/^Most (?!of)\w+ (it|an?|the|that)\b/, '“most”: say the largest number of'],
  [
    /\bthe (most|least) (that|(?!squares)\w+[^s\W]s)\b/i,
    '“most” or “least”: say largest, smallest',
  ],
  [/\btakes? to (lie|be|have)\b/i, '“take”: say need'],
  [/\b(of|in|for|by|to|from|with|than|over|on|and|but|is|as|or) what\b/i, 'a clause with “what”'],
  [/^[Ww]hat\b/, 'a clause with “what”'],
  [/\bso (many|much)\b(?! (as|that|more|less|fewer)\b)/i, '“so many” or “so much”'],
  [/(?:^|, |\b(?:of|for|by|to|and|or|if|that) )who (?!are you)\w+s\b/i, '“who” without a noun'],
  [/\bsuch as (are|is|have|has|do|does)\b/i, '“such as are”'],
];

/** Parts of names that say nothing to a stranger, each with a better word. */
const PRIVATE_NAMES = {
  abreast: 'inputs_per_block',
  alone: 'one_input',
  arrow: 'import',
  arrows: 'imports',
  face: 'publicView',
  fours: 'quads',
  held: 'storage',
  room: 'scratch',
  rooms: 'folders',
  take: 'read, use, copy, accept',
  taken: 'used, copied, accepted',
  takes: 'reads, uses, needs, accepts',
  taking: 'reading, using, accepting',
  turns: 'yieldToOthers',
  wild: 'not_finite',
  wish: 'request',
};
/** Constants that are a limit. `atMost` and `mostLikely` are plain English. */
const LIMITS = /^(MOST|LEAST|FEW|MANY)_|_(MOST|LEAST|FEW|MANY|LEFT)$/;
/** The side that a name `left` has beside it. Without it the name means remaining. */
const BESIDE_LEFT = /^(right|window|top)$/;
/** Names that browsers give to keys. */
const KEYS = /^Arrow(Up|Down|Left|Right)$/;
/** Names that are a private word as a whole. */
const WHOLE_NAMES = {
  few: 'a limit with a noun',
  least: 'min_…',
  many: 'the number of a thing',
  most: 'max_…',
};

/** A regular expression of JavaScript, which holds words of messages and no names. */
const EXPRESSION = /(?<=[(,=:[?]\s*)\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;

/** Cuts prose into sentences. Code in backticks, a quotation or a shape counts as one word. */
function sentences(text) {
  const shut = (inside) => inside.replace(/,/g, '').replace(/[.:;!?](?=\s)/g, '');
  return text
    .replace(/`[^`]*`/g, 'code')
    .replace(/“[^”]*”/g, 'quotation')
    .replace(/\([\w·+/⌈⌉ -]+(, [\w·+/⌈⌉ -]+)+\)/g, (tuple) =>
      tuple.split(' ').length <= 2 * tuple.split(',').length ? 'shape' : tuple,
    )
    .replace(/\([^()]*\)|\[[^[\]()]*[\])]|⟨[^⟨⟩]*⟩|\{[^{}]*\}/g, shut)
    .replace(/\b(e\.g|i\.e|vs|cf|Eq|No|Fig)\./g, '$1')
    .split(/[.;:!?…]+(?=[\s"”)*_]|$)|\n\s*\n/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
}

const isWord = (word) => /[\p{L}\p{N}]/u.test(word);
const wordsOf = (text) => text.split(' ').filter(isWord);

/** Commas of a sentence. Those between the short items of one list count once. */
function commas(sentence) {
  const between = sentence.split(/,(?=\s)/).slice(1, -1);
  const items = between.filter((part) => wordsOf(part).length <= ITEM_WORDS).length;
  return between.length + 1 - items;
}

/** Everything that makes a sentence hard to read. */
export function faultsOf(sentence) {
  const words = wordsOf(sentence);
  const faults = [];
  if (words.length > MAX_WORDS) faults.push(`${words.length} words`);
  if (/,\s/.test(sentence) && commas(sentence) > MAX_COMMAS)
    faults.push(`${commas(sentence)} commas`);
  for (const word of wordsOf(sentence.replace(KNOWN_USES, ''))) {
    if (word.startsWith('Face')) continue; // Hugging Face
    const plain = word.toLowerCase().replace(/[^a-z]/g, '');
    if (Object.hasOwn(PRIVATE_WORDS, plain)) faults.push(`“${plain}”: say ${PRIVATE_WORDS[plain]}`);
  }
  for (const [phrase, name] of PHRASES)
    if (phrase.test(sentence) && !faults.includes(name)) faults.push(name);
  return faults;
}

/** The sentences of a file that are hard to read, as “file:line: faults: sentence”. */
export function hardSentences(file, text) {
  return proseOf(file, text).flatMap(([line, part]) =>
    sentences(part).flatMap((sentence) => {
      const faults = faultsOf(sentence).join(', ');
      return faults ? [`${file}:${line}: ${faults}: ${sentence.slice(0, 90)}`] : [];
    }),
  );
}

const namesIn = (code) => code.match(/(?:(?<!\.)\.|->)?\b[A-Za-z_]\w*(\+\+)?/g) ?? [];
const partsOf = (name) =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/_+/);

const isProperty = (use) => /^\W/.test(use);

/**
 * A better word for a private name.
 * @param {string} use the name, with the . or -> before a property, and the ++ behind a count
 * @param {boolean} hasSides whether left is a side in this file
 */
function plainName(use, hasSides) {
  const name = use.replace(/\W/g, '');
  const whole = name.toLowerCase();
  const parts = partsOf(name);
  if (LIMITS.test(name)) return 'MAX_…, MIN_…';
  if (parts.at(-1) === 'left' && !isProperty(use) && !hasSides) return 'remaining';
  if (/^\Wturn$|^turn\+\+$/.test(use)) return 'request, run';
  if (Object.hasOwn(WHOLE_NAMES, whole)) return WHOLE_NAMES[whole];
  return PRIVATE_NAMES[parts.find((each) => Object.hasOwn(PRIVATE_NAMES, each))];
}

/** The private words among the names of a source file, as “file:line: name: say this”. */
export function privateNames(file, text) {
  const found = new Map();
  const code = withoutComments(text)
    .replace(/'[^'\n]*'|"[^"\n]*"/g, "''")
    .replace(EXPRESSION, '')
    .replace(/`(?:[^`\\]|\\.)*`/g, (template) =>
      template.replace(/[^]*?(\$\{[^}]*\}|`$|\n)/g, (_, inside) => (inside === '`' ? '' : inside)),
    );
  const hasSides = namesIn(code).some((name) =>
    partsOf(name.replace(/\W/g, '')).some((part) => BESIDE_LEFT.test(part)),
  );
  code.split('\n').forEach((line, index) => {
    for (const use of namesIn(line)) {
      const instead = plainName(use, hasSides);
      const name = use.replace(/\W/g, '');
      if (instead && !KEYS.test(name) && !found.has(name))
        found.set(name, `${file}:${index + 1}: name “${name}”: say ${instead}`);
    }
  });
  return [...found.values()];
}

function run(asked) {
  process.chdir(new URL('..', import.meta.url).pathname);
  const git = (...options) =>
    execFileSync('git', ['ls-files', '--deduplicate', ...options, '--', ...asked], {
      encoding: 'utf8',
    }).split('\n');
  const deleted = git('-d');
  const files = git('-co', '--exclude-standard').filter(
    (file) =>
      /\.([ch]|js|mjs|ts|css|sh|cmake|md|html)$|CMakeLists\.txt$/.test(file) &&
      !deleted.includes(file),
  );
  const read = files.map((file) => [file, readFileSync(file, 'utf8')]);
  const hard = read.flatMap(([file, text]) => hardSentences(file, text));
  const names = read
    .filter(
      ([file]) =>
        /^(src|web|bench|scripts|tests|training)\/.*\.([ch]|js|ts)$/.test(file) && file !== SELF,
    )
    .flatMap(([file, text]) => privateNames(file, text));
  const tooMany = hard.length > ALLOWED_SENTENCES || names.length > ALLOWED_NAMES;
  if (asked.length || tooMany) console.error([...hard, ...names].join('\n'));
  console.log(`${hard.length} sentences are hard to read, ${names.length} names are private`);
  if (asked.length || !tooMany) return;
  console.error(`expected at most ${ALLOWED_SENTENCES} sentences and ${ALLOWED_NAMES} names`);
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) run(process.argv.slice(2));
