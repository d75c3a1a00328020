/** The words of the page, as it is delivered and as a reader meets them. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

const html = await readFile(new URL('../../web/index.html', import.meta.url), 'utf8');
const [, notes] = /<section id="notes"(.*?)<\/section>/s.exec(html);

test('texts I, II and III are links to the notes, which list as many sources', () => {
  const linked = [...html.matchAll(/<p class="kicker"><a href="#notes">Text (\w+)<\/a>/g)];
  const named = linked.map(([, numeral]) => numeral);
  assert.deepEqual(named, ['I', 'II', 'III']);
  const [, sources] = /<ol class="sources">(.*?)<\/ol>/s.exec(notes);
  assert.equal(sources.match(/<li>/g).length, named.length);
  for (const numeral of named) assert.match(notes, new RegExp(`<th scope="col">${numeral}, the `));
});

test('a section whose numbers are not of the model says so', () => {
  for (const id of ['one-look', 'many-heads', 'trust', 'distance', 'push', 'sharing', 'speed']) {
    const [section] = new RegExp(`<section id="${id}".*?</section>`, 's').exec(html);
    assert.match(section, /made up|random/, id);
  }
});

test('the notes say how to cite the page, with a year and an address', () => {
  const [, cite] = /<h3>To cite<\/h3>\s*<p>(.*?)<\/p>/s.exec(notes);
  assert.match(
    cite,
    /authors, 20\d\d, <a\s+href="https:\/\/github\.com\/clearhead-js\/clearhead">/,
  );
});
