/** The limits of scripts/prose.js catch what they should, and let plain English pass. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf, hardSentences, privateNames } from '../../scripts/prose.js';

test('a long sentence, a sentence of many parts and private words are faults', () => {
  for (const sentence of [
    Array.from({ length: 26 }, () => 'word').join(' '),
    'It reads the file, which is large by then, and if it is damaged, throws, as it always did',
    'The scratch of what was computed',
    'What comes from a URL is clamped',
    'Of so many bytes',
    'Whoever calls it frees it',
    'The value is wild',
    'The cache has what it held before',
    'Results are held to a bound',
    'A product of one input alone',
    'Both are timed in turns',
    'Threads that are left go on',
    'Most positions it can hold',
    'It returns the most bytes of a process',
    'The bytes that a weight may take to lie in memory',
  ])
    assert.notDeepEqual(faultsOf(sentence), [], sentence);
});

test('plain sentences, lists and arrow keys are no faults', () => {
  for (const sentence of [
    'It runs in browsers, workers, Node, Deno and Bun',
    'Says what came and how long it took',
    'A caller who wants bits asks for simd',
    'There are not so many as before',
    'The arrow keys move the mark',
    'It takes at most four arguments',
    'The left side, and the keys to the left of a query',
    'A key that is left out',
    'No number is left to compare',
    'The most probable token, by least squares',
    'Most of the work is a product',
    'Threads take turns',
    'The order depends on the shapes alone',
  ])
    assert.deepEqual(faultsOf(sentence), [], sentence);
});

test('the name of a test is a sentence, and a fault in it is found by its line', () => {
  const source = "/* one */\n\ntest('what is read', () => {});\nclaim(`the ${n} sums`, f);\n";
  const [fault, ...others] = hardSentences('tests/a.test.js', source);
  assert.match(fault, /^tests\/a\.test\.js:3: a clause with “what”/);
  assert.deepEqual(others, []);
});

test('code, tags, shapes and tables are not read as prose', () => {
  const source = [
    '/**',
    ' * Multiplies `a, b, c, d` of (batch, heads, m, dim). It needs no memory.',
    ' *',
    ' *     room, room, room, wild',
    ' *',
    ' * @param {string} what the name, without dots',
    ' */',
  ].join('\n');
  assert.deepEqual(hardSentences('a.js', source), []);
  const page = '| a | b |\n|---|---|\n| `x`, `y`, `z`, `w` | one. Two. |\n\n```js\nwild\n```\n';
  assert.deepEqual(hardSentences('a.md', page), []);
  assert.equal(hardSentences('a.md', '| a | the scratch of what was read |\n').length, 1);
});

test('private words in names are found; in comments, strings and expressions they are not', () => {
  assert.equal(privateNames('a.c', 'int row_is_wild(void);').length, 1);
  assert.equal(privateNames('a.js', 'const takeFours = 1;').length, 1);
  assert.deepEqual(privateNames('a.js', "// wild\nsay('wild', `wild ${count} wild`);"), []);
  assert.deepEqual(privateNames('a.js', 'match(x, /at most "8\\/9 wild/i); y = /[/] wild/;'), []);
  assert.equal(privateNames('a.js', 'half = (all / wild + 1 / 2)').length, 1);
});

test('names of limits, of remainders and of the verb take are private', () => {
  for (const [file, text] of [
    ['a.c', 'enum { MOST_BLOCKS = 128 };'],
    ['a.js', 'const ROWS_LEFT = 1;'],
    ['a.js', 'const left = end - step;'],
    ['a.c', 'int32_t rows_left = end - i;'],
    ['a.js', 'const taken = after - before;'],
    ['a.js', 'export function takeRow() {}'],
    ['a.js', 'this.turn = true;'],
    ['a.js', 'const mine = turn++;'],
    ['src/js/a.d.ts', 'held(): number;'],
  ])
    assert.equal(privateNames(file, text).length, 1, text);
});

test('a left with a right, superlatives and turns of a conversation are no private names', () => {
  for (const text of [
    'const left = a; const right = b;',
    'set_window(p, left, -1);',
    'report.left - allowed;',
    'layer->left = 1;',
    'atMost(1); mostLikely(x); manyHeads();',
    'const turn = [...messages]; use(...turn);',
    "if (key === 'ArrowLeft') ArrowLeft();",
  ])
    assert.deepEqual(privateNames('a.js', text), [], text);
});

test('messages of sources and the text of pages are read as prose', () => {
  const refuse = "refuse('room', `${count} keys came ` + 'from rooms, and from what was read');";
  assert.equal(hardSentences('src/js/a.js', refuse).length, 1);
  assert.deepEqual(hardSentences('tests/a.test.js', refuse), []);
  assert.deepEqual(hardSentences('src/js/a.js', "const key = 'room'; // four words\n"), []);
  const page = '<h2>Room</h2>\n<p>The <b>wild</b> values</p><p>Values, <code>a, b, c, d</code></p>';
  assert.equal(hardSentences('web/index.html', page).length, 1);
});

test('the items of a list in a comment are read as prose', () => {
  const manual = [
    '/*',
    ' * Contract:',
    ' *   - the wild values',
    ' *     of what was read',
    ' *',
    ' *     room(wild)',
    ' */',
  ].join('\n');
  assert.deepEqual(
    hardSentences('a.h', manual).map((line) => line.split(':')[1]),
    ['1'],
  );
});
