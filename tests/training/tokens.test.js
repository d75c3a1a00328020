/** The tokenizer and the stream of training tokens. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Tokenizer as Library } from '@huggingface/tokenizers';
import { createRandom } from '../../training/stories/random.js';
import { learnMerges } from '../../training/stories/tokens/bpe.js';
import { MIN_STORY, UNKNOWN, batchOf } from '../../training/stories/tokens/stream.js';
import {
  MARK,
  MARK_ID,
  PIECES,
  TOKENIZER_CONFIG,
  learnTokenizer,
  openTokenizer,
} from '../../training/stories/tokens/tokenizer.js';
import { NAMING_WORDS } from '../../training/stories/world/entities.js';
import { tellStory } from '../../training/stories/world/index.js';

const file = learnTokenizer();
const tokenizer = openTokenizer(file);
const encode = (text) => tokenizer.encode(text, { marks: false });

describe('merges', () => {
  test('join the most frequent pair first, and among equals the smaller ids', () => {
    // in “abab ab” a, b comes three times; then b, a does not cross words
    assert.deepEqual(learnMerges(['abab ab'], { count: 1, first: 0 }), [[97, 98]]);
    const merges = learnMerges(['xy', 'ab'], { count: 5, first: 0 });
    assert.deepEqual(merges, [
      [97, 98],
      [120, 121],
    ]);
    assert.deepEqual(learnMerges(['aaaa'], { count: 2, first: 1 }), [
      [98, 98],
      [257, 257],
    ]);
  });
});

describe('the tokenizer', () => {
  test('has 1024 pieces, and one that begins and ends a text', () => {
    assert.equal(Object.keys(file.model.vocab).length, PIECES);
    assert.equal(tokenizer.size, PIECES);
    assert.equal(tokenizer.bos, MARK_ID);
    assert.equal(tokenizer.token(MARK_ID), MARK);
    assert.deepEqual([...tokenizer.ends], [MARK_ID]);
    assert.equal(tokenizer.encode('A cup.')[0], MARK_ID);
    assert.ok(!encode(`A cup. ${MARK}`).includes(MARK_ID), 'its text is text');
  });

  test('gives every story back, and any other text', () => {
    for (let index = 0; index < 2000; index++) {
      const { text } = tellStory(3, index, { open: true });
      assert.equal(tokenizer.decode(encode(text)), text);
    }
    for (const text of ['Grüße, 你好! 🎈', '\t\r\n  x', 'ALL CAPITALS', '\u0000\u{10ffff}', ''])
      assert.equal(tokenizer.decode(encode(text)), text);
  });

  test('is the same for the library of Hugging Face', () => {
    const library = new Library(file, TOKENIZER_CONFIG);
    for (let index = 0; index < 300; index++) {
      const { text } = tellStory(4, index, { open: true });
      assert.deepEqual(tokenizer.encode(text), library.encode(text).ids);
    }
  });

  test('has a piece for every word that names something', () => {
    const cut = NAMING_WORDS.filter((word) => encode(` ${word}`).length > 1);
    assert.deepEqual(cut, []);
  });

  test('needs a token for every three bytes, and no story needs more than 250', (t) => {
    let bytes = 0;
    let tokens = 0;
    for (let index = 0; index < 20000; index++) {
      const { text } = tellStory(1, index, { open: index % 4 === 0 });
      const { length } = encode(text);
      assert.ok(length >= MIN_STORY && length <= 250, `${length} tokens: ${text}`);
      bytes += Buffer.byteLength(text);
      tokens += length;
    }
    t.diagnostic(`${(bytes / tokens).toFixed(3)} bytes per token, ${tokens / 20000} per story`);
    assert.ok(bytes / tokens > 3, `${bytes / tokens} bytes per token`);
  });
});

describe('the commands', () => {
  const run = (name, ...options) =>
    promisify(execFile)(process.execPath, [
      fileURLToPath(new URL(`../../training/stories/${name}.js`, import.meta.url)),
      ...options,
    ]);

  test('write the files of the tokenizer', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'clearhead-tokenizer-'));
    try {
      await run('tokens/write', folder);
      const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
      assert.deepEqual(read('tokenizer.json'), file);
      assert.deepEqual(read('tokenizer_config.json'), TOKENIZER_CONFIG);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('print the stories of a seed, and say how they are called', async () => {
    const { stdout } = await run('show', '2', '7');
    for (const index of [0, 1]) assert.ok(stdout.includes(tellStory(7, index).text));
    await assert.rejects(run('tokens/write'), { code: 2, stderr: /^usage: / });
    await assert.rejects(run('evaluate'), { code: 2, stderr: /^usage: / });
  });
});

describe('a batch', () => {
  const options = { tokenizer, seed: 9, batch: 32, context: 512, repeats: 16 };
  const rowsOf = (ids) =>
    Array.from({ length: options.batch }, (_, row) => ids.subarray(512 * row, 512 * (row + 1)));
  const rows = (step, others) => rowsOf(batchOf({ ...options, ...others }, step).tokens);
  const isStory = (row) => row[0] === MARK_ID;

  test('is the same whenever it is asked for, and no two are alike', () => {
    const third = batchOf(options, 3);
    assert.equal(third.tokens.length, 32 * 512);
    assert.deepEqual(batchOf(options, 3), third);
    assert.notDeepEqual(batchOf(options, 4), third);
    assert.notDeepEqual(batchOf({ ...options, seed: 10 }, 3), third);
    assert.ok(third.tokens.every((id) => id >= 0 && id < PIECES));
  });

  test('has stories of training from end to end, and only the last of a row is cut off', () => {
    for (const row of rows(0).filter(isStory)) {
      const texts = tokenizer.decode(row, { special: true }).split(MARK).slice(1);
      assert.ok(texts.length >= 2);
      for (const text of texts.slice(0, -1)) assert.match(text, /\n\n(\w[^\n]*\? [^\n]*\.\n?)+$/);
    }
  });

  test('asks as many questions as it is told to', () => {
    const largest = (questions) => {
      const all = rows(0, { questions }).filter(isStory);
      const texts = all.flatMap((row) => tokenizer.decode(row, { special: true }).split(MARK));
      return Math.max(...texts.map((text) => text.match(/^\w[^\n.]*\? /gm)?.length ?? 0));
    };
    assert.deepEqual([largest(1), largest(3), largest(4)], [1, 3, 4]);
    assert.deepEqual(batchOf({ ...options, questions: 3 }, 0), batchOf(options, 0));
  });

  test('repeats a random sequence in some rows, and without a mark', () => {
    const all = Array.from({ length: 20 }, (_, step) => rows(step)).flat();
    const others = all.filter((row) => !isStory(row));
    // of 640 rows one in sixteen: 40, with a standard deviation of 6
    assert.ok(others.length > 20 && others.length < 60, `${others.length} of ${all.length}`);
    for (const row of others) {
      assert.ok(!row.includes(MARK_ID));
      assert.ok(periodOf(row) <= 64);
    }
  });

  test('has no random sequence unless it is told to, and nothing else if it is told so', () => {
    for (let step = 0; step < 4; step++) {
      assert.ok(rows(step, { repeats: undefined }).every(isStory));
      assert.ok(!rows(step, { repeats: 1 }).some(isStory));
    }
  });

  test('has each next token as a target, but for the first time of a random sequence', () => {
    const { tokens, targets } = batchOf(options, 1);
    const wanted = rowsOf(targets);
    for (const [i, row] of rowsOf(tokens).entries()) {
      const first = isStory(row) ? 0 : periodOf(row) - 1;
      assert.ok(wanted[i].subarray(0, first).every((id) => id === UNKNOWN));
      assert.deepEqual(wanted[i].subarray(first, -1), row.subarray(first + 1));
      assert.ok(wanted[i].at(-1) >= 0, 'and the last has one, too');
    }
  });

  test('has no story twice', () => {
    const seen = new Set();
    for (let step = 0; step < 20; step++)
      for (const row of rows(step).filter(isStory)) {
        const [first] = tokenizer.decode(row, { special: true }).split(MARK).slice(1);
        assert.ok(!seen.has(first), first);
        seen.add(first);
      }
  });
});

/** The least distance at which all tokens of a row come again. */
function periodOf(row) {
  for (let period = 1; ; period++)
    if (row.every((id, at) => at < period || id === row[at - period])) return period;
}

test('integers are uniform enough, and the same seed gives the same', () => {
  const [a, b] = [createRandom(5), createRandom(5)];
  const counts = new Array(10).fill(0);
  for (let i = 0; i < 10000; i++) {
    const x = a.below(10);
    assert.equal(x, b.below(10));
    counts[x]++;
  }
  // 10000 draws of ten: a standard deviation of 30
  for (const count of counts) assert.ok(Math.abs(count - 1000) < 150, `${counts}`);
  const list = a.shuffled([1, 2, 3, 4]);
  assert.deepEqual([...list].sort(), [1, 2, 3, 4]);
});
