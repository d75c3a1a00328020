/** The stream of training tokens. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UNKNOWN, batchOf } from '../../training/stories/tokens/stream.js';
import {
  MARK,
  MARK_ID,
  PIECES,
  learnTokenizer,
  openTokenizer,
} from '../../training/stories/tokens/tokenizer.js';
import { BOYS, GIRLS } from '../../training/stories/world/entities.js';
import { LEVELS } from '../../training/stories/world/exercises.js';

const tokenizer = openTokenizer(learnTokenizer());

describe('a batch', () => {
  const KINDS = ['stories', 'answers', 'again', 'exercises', 'pronouns', 'repeats'];
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
    for (const step of [0, 4, 6, 11])
      assert.deepEqual(
        batchOf({ ...options, kinds: KINDS }, step),
        batchOf({ ...options, kinds: [KINDS[step % 6]] }, step),
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

  test('asks as many questions as it is told to where answers are targets, else at most 3', () => {
    const largest = (questions, kind = 'answers') => {
      const some = [0, 1, 2, 3].flatMap((step) => rows(kind, { questions }, step));
      const texts = some.flatMap(textsOf);
      return Math.max(...texts.map((text) => text.match(/^\w[^\n.]*\? /gm)?.length ?? 0));
    };
    assert.deepEqual([largest(1), largest(2), largest(3)], [1, 2, 3]);
    assert.ok(largest(8) > 3);
    assert.ok(largest(8, 'again') > 3);
    assert.equal(largest(8, 'stories'), 3);
    const answers = { ...options, kinds: ['answers'] };
    assert.deepEqual(batchOf({ ...answers, questions: 3 }, 0), batchOf(answers, 0));
  });

  test('has exercises of a level, or of the highest', () => {
    const first = rows('exercises', { level: 0 }).flatMap(textsOf);
    const whole = first.filter((text) => text.includes('\n'));
    assert.ok(whole.length > 10);
    for (const text of whole) assert.match(text, /^Once (\w+ had (a|an) [^.]*\. ?)+\n/);
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

  /** The first text of each row of a kind, and those of its words that are targets. */
  function* targetsOf(kind) {
    const { tokens, targets } = batchOf({ ...options, kinds: [kind] }, 1);
    const wanted = rowsOf(targets);
    for (const [i, row] of rowsOf(tokens).entries()) {
      const end = row.indexOf(MARK_ID, 1);
      const said = wanted[i].subarray(0, end - 1).filter((id) => id !== UNKNOWN);
      yield [tokenizer.decode(row.subarray(1, end)), tokenizer.decode(said)];
    }
  }

  test('has names that come again as targets, not those that come first', () => {
    const names = new RegExp([...GIRLS, ...BOYS].map(({ core }) => core).join('|'), 'g');
    for (const [text, said] of targetsOf('again')) {
      const body = text.slice(0, text.indexOf('\n\n', text.indexOf('\n\n') + 1));
      const all = body.match(names);
      const again = all.filter((name, i) => all.indexOf(name) < i);
      assert.deepEqual((said.match(names) ?? []).slice(0, again.length).sort(), again.sort(), text);
    }
  });

  test('has all pronouns of an exercise about them as targets', () => {
    for (const [text, said] of targetsOf('pronouns')) {
      const pronouns = text.match(/\b(s?he|him|her|his)(self)?\b/g);
      assert.ok(pronouns.length > 3);
      assert.equal(said.replaceAll(' ', ''), pronouns.join(''), text);
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
