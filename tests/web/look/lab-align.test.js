/** The new words of a story beside another one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isNew, newTokens, wholeWords } from '../../../web/panels/lab/align.js';

/** The new words of b beside a, where a space ends a word. */
function added(a, b) {
  const [before, after] = [a, b].map((text) => text.split(' ').filter(Boolean));
  return after.filter((_, i) => isNew(after, before)[i]).join(' ');
}

/** The length of a longest common subsequence, by all subsets of a. */
function longest(a, b) {
  let best = 0;
  for (let set = 0; set < 2 ** a.length; set++) {
    const some = a.filter((_, i) => set & (2 ** i));
    let at = 0;
    for (const word of b) if (at < some.length && word === some[at]) at++;
    if (at === some.length) best = Math.max(best, at);
  }
  return best;
}

describe('the new words of a story', () => {
  test('a word more moves no other word', () => {
    assert.equal(added('Ben came home with a button', 'Ben soon came home with a button'), 'soon');
    assert.equal(added('Ben came home', 'Ben came home'), '');
    assert.equal(added('Ben came home', 'home'), '');
    assert.equal(added('', 'a b'), 'a b');
    assert.equal(added('a b', ''), '');
    assert.equal(added('a red ball', 'a blue ball'), 'blue');
  });

  test('as few as possible are new', () => {
    let seed = 1;
    const random = (n) => {
      seed = (seed * 48271) % 2147483647;
      return seed % n;
    };
    for (let round = 0; round < 200; round++) {
      const [a, b] = [0, 1].map(() => Array.from({ length: random(9) }, () => 'abc'[random(3)]));
      const shared = b.filter((_, i) => !isNew(b, a)[i]);
      assert.equal(shared.length, longest(a, b), `${a} | ${b}`);
      let at = 0;
      for (const word of a) if (word === shared[at]) at++;
      assert.equal(at, shared.length, 'they stand in the other story in this order');
    }
  });

  test('all pieces of a new word are marked, and no others', () => {
    const tokens = (...texts) => texts.map((text) => ({ id: 0, text }));
    const story = tokens(' P', 'ick', 'le', ' saw', '', ' a', ' h', 'at', '.');
    const other = tokens(' Pickle', ' a', ' hen', '.');
    const marked = newTokens(story, other);
    assert.deepEqual(
      story.filter((_, i) => marked[i] && story[i].text).map(({ text }) => text),
      [' saw', ' h', 'at'],
    );
    assert.ok(newTokens(story, story).every((each) => !each));
    assert.deepEqual(newTokens([], other), []);
  });

  test('pieces of a word are one word, and marks stand alone', () => {
    const tokens = [' P', 'ick', 'le', ',', ' said', ' "', 'No', '!"'];
    assert.deepEqual(wholeWords(tokens.map((text) => ({ id: 0, text }))), [
      ' Pickle',
      ',',
      ' said',
      ' "',
      'No',
      '!"',
    ]);
  });
});
