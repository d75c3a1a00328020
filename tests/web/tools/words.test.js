/** The words of the page, as it is delivered and as a reader meets them. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { letters } from '../../support/web/letters.js';
import { giveFiles } from '../look/page.js';
import { drawn, missing, opened } from '../site.js';

const html = await readFile(new URL('../../../web/index.html', import.meta.url), 'utf8');
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
    assert.match(section, /made\s+up|random/, id);
  }
});

test('each section with a claim of its own asks for a prediction', () => {
  const sections = html.match(/<section .*?<\/section>/gs);
  const asking = sections.filter((section) => section.includes('<details class="predict">'));
  const silent = sections.filter((section) => !asking.includes(section));
  const ids = silent.map((section) => /id="([\w-]+)"/.exec(section)[1]);
  assert.deepEqual(ids, ['proofs', 'use', 'notes']);
});

test('no two headings say the same', () => {
  const headings = [...html.matchAll(/<h[123][^>]*>(.*?)<\/h[123]>/gs)];
  const words = headings.map(([, text]) => text.replace(/\W+$/, ''));
  assert.deepEqual([...new Set(words)], words);
});

test('the notes say how to cite the page, with a year and an address', () => {
  const [, cite] = /<h3>To cite<\/h3>\s*<p>(.*?)<\/p>/s.exec(notes);
  assert.match(
    cite,
    /authors, 20\d\d, <a\s+href="https:\/\/github\.com\/clearhead-js\/clearhead">/,
  );
});

/** Words of this page that only a deeper reader has been told. */
const UNTOLD = /\p{Script=Greek}|\boracles?\b|\bKV\b/iu;

/** In the page: all texts that can be seen or heard. */
function texts() {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (parentElement.checkVisibility()) found.push(data);
  }
  for (const element of document.querySelectorAll('[aria-label], [aria-valuetext], [title]'))
    if (element.checkVisibility())
      for (const name of ['aria-label', 'aria-valuetext', 'title'])
        found.push(element.getAttribute(name) ?? '');
  return found.map((text) => text.trim()).filter(Boolean);
}

/** In the page: the switches and options that can be seen, by the place of their input. */
function switches() {
  const all = [...document.querySelectorAll('input[type="checkbox"], input[type="radio"]')];
  return all.flatMap((input, at) => {
    const { textContent } = document.querySelector(`label[for="${input.id}"]`);
    const counts = input.closest('main') && input.checkVisibility();
    return counts ? [{ at, name: textContent, kind: input.type }] : [];
  });
}

describe('a reader who only looks', { skip: missing }, () => {
  let page;
  opened(async (visited) => ({ page } = visited));

  test('meets no Greek letter and no word of experts, whatever is switched on', async () => {
    await page.locator('#depth-look').check();
    await page.evaluate(() => {
      for (const each of document.querySelectorAll('details')) each.open = true;
    });
    await drawn(page);
    const untold = async (when) =>
      assert.deepEqual(
        (await page.evaluate(texts)).filter((text) => UNTOLD.test(text)),
        [],
        when,
      );
    await untold('at rest');
    const found = await page.evaluate(switches);
    const names = found.map(({ name }) => name);
    for (const name of ['divide key length out', 'keys of one length', 'weight × value'])
      assert.ok(names.includes(name), `${name} can be seen`);
    for (const name of ['√', 'log', '× uniform', 'KL share'])
      assert.ok(!names.includes(name), `${name} cannot be seen`);
    for (const { at, name, kind } of found) {
      await page.evaluate(
        (place) =>
          document.querySelectorAll('input[type="checkbox"], input[type="radio"]')[place].click(),
        at,
      );
      await drawn(page);
      await untold(`with ${kind} ${name}`);
    }
  });

  test('is told of a head of the page’s model, and not of another one', async () => {
    const hint = () => page.locator('#look .look-hint').innerText();
    assert.match(await hint(), /head 4\.6 is head 6 of layer 4/);
    await giveFiles(page.locator('#lab-file'), [['own.gguf', letters()]]);
    await becomes(hint, /^(?!.*head 4\.6)/s);
  });
});
