/** The repository is laid out so that a reader finds his way. */
import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { files, read, withoutComments } from '../support/package/repository.js';

/** More than fit on a screen hide what they are together. */
const FILES = 25;
/** Lines of a file. One that is longer holds more than one concept. */
const JS_LINES = 250;
const C_LINES = 400;
const TYPES_LINES = 400;
/** Its length is that of the headers, from which a script writes it. */
const GENERATED = 'src/js/engine/exports.d.ts';
/** Lines of a test's body. A longer one arranges at length, or claims more than one thing. */
const BODY_LINES = 55;
/** Types of src that say nothing. The limit falls and never rises. */
const ANYS = 100;

/** Above this share of a limit the next change should look for a split first. */
const WARNED = 0.9;

/** Fails if a count is above its limit, and warns of all that are above nine tenths of it. */
function within(t, limit, counts, things) {
  for (const [name, count] of counts)
    assert.ok(count <= limit, `${name} has ${count} ${things}, expected at most ${limit}`);
  const near = counts.filter(([, count]) => count > WARNED * limit);
  const shown = near.map(([name, count]) => `${name} ${count}`).join(', ');
  if (near.length) t.diagnostic(`WARNING near ${limit} ${things}: ${shown}`);
}

test('no folder holds more than 25 files', (t) => {
  const counts = new Map();
  for (const folder of files().map((file) => posix.dirname(file)))
    counts.set(folder, 1 + (counts.get(folder) ?? 0));
  within(t, FILES, [...counts], 'files');
});

test('no JavaScript file has more than 250 lines, and no C or .d.ts file more than 400', (t) => {
  const sources = files('', /\.[ch]$/);
  const scripts = files('', /\.js$/);
  const types = files('', /\.d\.ts$/).filter((file) => file !== GENERATED);
  for (const [list, limit] of [
    [scripts, JS_LINES],
    [sources, C_LINES],
    [types, TYPES_LINES],
  ])
    within(
      t,
      limit,
      list.map((file) => [file, read(file).trimEnd().split('\n').length]),
      'lines',
    );
});

test('no body of a test has more than 55 lines', () => {
  let count = 0;
  for (const file of files('tests', /\.js$/))
    for (const [title, lines] of bodiesOf(read(file))) {
      assert.ok(lines <= BODY_LINES, `${file}: ${title} has ${lines} lines`);
      count++;
    }
  assert.ok(count > 1400, `${count} tests were found`);
});

test('a body is the lines that are indented more than its test', () => {
  const text =
    "  test('a', () => {\n    one();\n\n    two();\n  });\n  claim('b', () =>\n    three());\n";
  assert.deepEqual(bodiesOf(text), [
    ["test('a', () => {", 3],
    ["claim('b', () =>", 1],
  ]);
});

test('few types of src are any, in comments and in declarations', (t) => {
  const comments = files('src', /\.js$/).flatMap((file) => typesOf(read(file)));
  const declarations = files('src', /\.d\.ts$/).flatMap((file) => linesOf(file));
  const anys = [...comments, ...declarations].filter((type) => /\bany\b/.test(type));
  within(t, ANYS - 1, [['src', anys.length]], 'types that are any');
});

test('each panel of the page has a row in panels.js, a section and a style in index.html', () => {
  const rows = read('web/page/panels.js');
  const page = read('web/index.html');
  const panels = new Set(files('web/panels').map((file) => file.split('/')[2]));
  assert.ok(panels.size > 10, `${panels.size} panels`);
  for (const panel of panels) {
    assert.ok(rows.includes(` id: '${panel}',`), `panels.js has a row for ${panel}`);
    for (const part of [` id="${panel}"`, `href="panels/${panel}/style.css"`])
      assert.equal(page.split(part).length, 2, `index.html has ${part} once`);
  }
});

/**
 * The first line of each test of a file, and how many lines its body has. The `claim` of a file is
 * a test whose name also says the variant.
 * @param {string} text
 */
function bodiesOf(text) {
  const lines = text.trimEnd().split('\n');
  const indent = (line) => line.search(/\S/);
  return lines.flatMap((line, at) => {
    if (!/^ *(test|claim)\(/.test(line)) return [];
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((next) => next !== '' && indent(next) <= indent(line));
    return [[line.trim(), end < 0 ? rest.length : end]];
  });
}

/** The lines of a file without its comments. @param {string} file */
const linesOf = (file) => withoutComments(read(file)).split('\n');

/** The types in braces of a file's JSDoc. @param {string} text */
function typesOf(text) {
  const comments = (text.match(/\/\*\*[\s\S]*?\*\//g) ?? []).join('\n');
  return [...comments.matchAll(/@\w+ \{/g)].map((match) => {
    const from = match.index + match[0].length - 1;
    let to = from;
    for (let depth = 0; to < comments.length; to++) {
      if (comments[to] === '{') depth++;
      if (comments[to] === '}' && --depth === 0) break;
    }
    return comments.slice(from, to + 1);
  });
}
