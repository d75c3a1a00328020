/** The tokenizer, and the tokens of its texts. A long run has more stories. */
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
import { MIN_EXERCISE, MIN_STORY } from '../../training/stories/tokens/stream.js';
import {
  MARK,
  MARK_ID,
  PIECES,
  TOKENIZER_CONFIG,
  learnTokenizer,
  openTokenizer,
} from '../../training/stories/tokens/tokenizer.js';
import { INVENTED, NAMING_WORDS } from '../../training/stories/world/entities.js';
import { LEVELS, tellExercise } from '../../training/stories/world/exercises.js';
import { tellStory } from '../../training/stories/world/index.js';
import { repeats } from '../support/campaign.js';

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
    for (let index = 0; index < repeats(1000, 2000); index++) {
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

  test('has two pieces for every invented name', () => {
    assert.deepEqual(
      INVENTED.filter((name) => encode(` ${name}`).length !== 2),
      [],
    );
  });

  test('needs a token for every three bytes, and no story needs more than 250', (t) => {
    let bytes = 0;
    let tokens = 0;
    const count = repeats(2000, 20000);
    for (let index = 0; index < count; index++) {
      const { text } = tellStory(1, index, { open: index % 4 === 0 });
      const { length } = encode(text);
      assert.ok(length >= MIN_STORY && length <= 250, `${length} tokens: ${text}`);
      bytes += Buffer.byteLength(text);
      tokens += length;
    }
    t.diagnostic(`${(bytes / tokens).toFixed(3)} bytes per token, ${tokens / count} per story`);
    assert.ok(bytes / tokens > 3, `${bytes / tokens} bytes per token`);
  });
});

test('an exercise has as many tokens as a row counts on, and no more than a row of stories', () => {
  for (let index = 0; index < repeats(2000, 4000); index++) {
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
