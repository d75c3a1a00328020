/**
 * Stop strings over streamed text: however it is cut, the same text comes out, and nothing of a
 * stop string.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStop } from '../../../src/js/model/text/stop.js';
import { random } from '../../support/random.js';
import { refuses } from '../../support/streams.js';

/** The output for a text that arrives in these pieces. */
function run(stops, pieces) {
  const filter = createStop(stops);
  let text = '';
  for (const piece of pieces) {
    const got = filter.push(piece);
    text += got.text;
    if (got.stopped !== null) return { text, stopped: got.stopped };
  }
  return { text: text + filter.end(), stopped: null };
}

/** The definition: the stop string that ends first, of those that end together the longest. */
function definition(stops, text) {
  for (let end = 1; end <= text.length; end++) {
    const found = stops
      .filter((stop) => text.slice(0, end).endsWith(stop))
      .sort((a, b) => b.length - a.length)[0];
    if (found) return { text: text.slice(0, end - found.length), stopped: found };
  }
  return { text, stopped: null };
}

test('however a text is cut, it ends where the definition says', () => {
  const r = random(3);
  for (let round = 0; round < 20000; round++) {
    const word = (maxLength) =>
      Array.from({ length: r.integer(1, maxLength) }, () => r.pick(['a', 'b', '\n', '🙂'])).join(
        '',
      );
    const stops = Array.from({ length: r.integer(0, 3) }, () => word(4));
    const text = word(16);
    const pieces = [];
    for (let at = 0; at < text.length;) pieces.push(text.slice(at, (at += r.integer(1, 5))));
    assert.deepEqual(
      run(stops, pieces),
      definition(stops, text),
      JSON.stringify({ stops, pieces }),
    );
  }
});

test('a text that may begin a stop string is kept back until it cannot be one', () => {
  const filter = createStop(['</end>']);
  assert.deepEqual(filter.push('text <'), { text: 'text ', stopped: null });
  assert.deepEqual(filter.push('/e'), { text: '', stopped: null });
  assert.deepEqual(filter.push('xit>'), { text: '</exit>', stopped: null });
  assert.deepEqual(filter.push('</en'), { text: '', stopped: null });
  assert.equal(filter.end(), '</en');
});

test('after a stop string nothing comes', () => {
  const filter = createStop(['.']);
  assert.deepEqual(filter.push('a.b'), { text: 'a', stopped: '.' });
  assert.deepEqual(filter.push('c'), { text: '', stopped: null });
  assert.equal(filter.end(), '');
});

test('without stop strings everything passes at once', () => {
  const filter = createStop();
  assert.deepEqual(filter.push('anything'), { text: 'anything', stopped: null });
  assert.equal(filter.end(), '');
});

test('anything but a list of strings is refused', async () => {
  for (const stops of [
    '.',
    [''],
    [3],
    [null],
    ['a'.repeat(300)],
    new Array(65).fill('a'),
    { 0: 'a' },
  ])
    await refuses(() => createStop(stops), 'ARG', /^stop(\[0\])? is/);
});
