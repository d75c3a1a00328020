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
import { MIN_EXERCISE, MIN_STORY, UNKNOWN, batchOf } from '../../training/stories/tokens/stream.js';
import {
  MARK,
  MARK_ID,
  PIECES,
  TOKENIZER_CONFIG,
  learnTokenizer,
  openTokenizer,
} from '../../training/stories/tokens/tokenizer.js';
import { NAMING_WORDS } from '../../training/stories/world/entities.js';
import { LEVELS, tellExercise } from '../../training/stories/world/exercises.js';
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

test('an exercise has as many tokens as a row counts on, and no more than a row of stories', () => {
  for (let index = 0; index < 4000; index++) {
    const { text } = tellExercise(1, index, index % (LEVELS + 1));
    const { length } = encode(text);
    assert.ok(length >= MIN_EXERCISE && length <= 256, `${length} tokens: ${text}`);
  }
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
  const KINDS = ['stories', 'answers', 'exercises', 'exercise answers', 'repeats'];
  const options = { tokenizer, seed: 9, batch: 32, context: 512 };
  const rowsOf = (ids) =>
    Array.from({ length: options.batch }, (_, row) => ids.subarray(512 * row, 512 * (row + 1)));
  const rows = (kind, others, step = 0) =>
    rowsOf(batchOf({ ...options, kinds: [kind], ...others }, step).tokens);
  const textsOf = (row) => tokenizer.decode(row, { special: true }).split(MARK).slice(1);

  test('is the same whenever it is asked for, and no two are alike', () => {
    for (const kind of KINDS) {
      const all = { ...options, kinds: [kind] };
      const third = batchOf(all, 3);
      assert.equal(third.tokens.length, 32 * 512);
      assert.deepEqual(batchOf(all, 3), third);
      assert.notDeepEqual(batchOf(all, 4).tokens, third.tokens);
      assert.notDeepEqual(batchOf({ ...all, seed: 10 }, 3).tokens, third.tokens);
      assert.ok(third.tokens.every((id) => id >= 0 && id < PIECES));
    }
  });

  test('is of the kind whose turn it is, and of stories if nothing is said', () => {
    for (const step of [0, 4, 5, 9])
      assert.deepEqual(
        batchOf({ ...options, kinds: KINDS }, step),
        batchOf({ ...options, kinds: [KINDS[step % 5]] }, step),
      );
    assert.deepEqual(batchOf(options, 2), batchOf({ ...options, kinds: ['stories'] }, 2));
  });

  test('has texts from end to end, and only the last of a row is cut off', () => {
    for (const kind of KINDS.slice(0, 4))
      for (const row of rows(kind)) {
        assert.equal(row[0], MARK_ID);
        const texts = textsOf(row);
        assert.ok(texts.length >= 2);
        for (const text of texts.slice(0, -1)) assert.match(text, /\n\n(\w[^\n]*\? [^\n]*\.\n?)+$/);
      }
  });

  test('asks as many questions of a story as it is told to', () => {
    const largest = (questions) => {
      const texts = rows('stories', { questions }).flatMap(textsOf);
      return Math.max(...texts.map((text) => text.match(/^\w[^\n.]*\? /gm)?.length ?? 0));
    };
    assert.deepEqual([largest(1), largest(3), largest(4)], [1, 3, 4]);
    assert.deepEqual(batchOf({ ...options, questions: 3 }, 0), batchOf(options, 0));
  });

  test('has exercises of a level, or of the highest', () => {
    const first = rows('exercises', { level: 0 }).flatMap(textsOf);
    for (const text of first.slice(0, 50)) assert.match(text, /^(\w+ had (a|an) [^.]*\. ?)+(\n|$)/);
    assert.deepEqual(rows('exercises', { level: LEVELS }), rows('exercises'));
    assert.notDeepEqual(rows('exercises', { level: LEVELS - 1 }), rows('exercises'));
  });

  test('repeats a random sequence without a mark', () => {
    for (const row of rows('repeats')) {
      assert.ok(!row.includes(MARK_ID));
      assert.ok(periodOf(row) <= 64);
    }
  });

  test('has each next token as a target, but for the first time of a random sequence', () => {
    for (const kind of ['stories', 'exercises', 'repeats']) {
      const { tokens, targets } = batchOf({ ...options, kinds: [kind] }, 1);
      const wanted = rowsOf(targets);
      for (const [i, row] of rowsOf(tokens).entries()) {
        const first = kind === 'repeats' ? periodOf(row) - 1 : 0;
        assert.ok(wanted[i].subarray(0, first).every((id) => id === UNKNOWN));
        assert.deepEqual(wanted[i].subarray(first, -1), row.subarray(first + 1));
        assert.ok(wanted[i].at(-1) >= 0, 'and the last has one, too');
      }
    }
  });

  test('has the answers alone as targets, with their ends', () => {
    for (const kind of ['answers', 'exercise answers']) {
      const { tokens, targets } = batchOf({ ...options, kinds: [kind] }, 1);
      const wanted = rowsOf(targets);
      for (const [i, row] of rowsOf(tokens).entries()) {
        const isTarget = (at) => at > 0 && wanted[i][at - 1] !== UNKNOWN;
        const marked = [...row].map((id, at) => {
          if (isTarget(at)) assert.equal(wanted[i][at - 1], id);
          const piece = tokenizer.decode([id], { special: true });
          return isTarget(at) ? `[${piece}]` : piece;
        });
        const said = marked.join('').replaceAll('][', '');
        assert.doesNotMatch(said, /^\w[^\n.]*\? \w/m, 'an answer that is no target');
        for (const [, answer] of said.matchAll(/\[([^\]]*)\]/g))
          assert.ok(
            /^ [^.?\n]+\.(\n|<\|endoftext\|>)$/.test(answer) || said.endsWith(`${answer}]`),
          );
      }
    }
  });

  test('has no story twice', () => {
    const seen = new Set();
    for (let step = 0; step < 20; step++)
      for (const [first] of rows('stories', {}, step).map(textsOf)) {
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
