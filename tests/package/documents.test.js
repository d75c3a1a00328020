/** The documents are short, and their links lead somewhere. */
import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { exists, files, read, withoutAddress, withoutCode } from '../support/package/repository.js';

const WIDTH = 100;
const documents = files('', /^[^/]+\.md$|^(docs|training)\/.*\.md$/);
const sources = files(
  '',
  /^(src|bench|tests|scripts|training|web)\/.*\.([ch]|js|ts|sh)$|^CMakeLists\.txt$/,
);
const linesOf = (file) => read(file).trimEnd().split('\n');

/** The anchor that a heading has in GitHub's pages. @param {string} heading */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsIn = (file) =>
  [...withoutCode(read(file)).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading));

for (const [file, limit] of [
  ['README.md', 150],
  ['ARCHITECTURE.md', 120],
])
  test(`${file} has at most ${limit} lines`, () => {
    assert.ok(linesOf(file).length <= limit, `${linesOf(file).length} lines`);
  });

test('lines of documents are within 100 columns, but for tables, addresses and pictures', () => {
  for (const file of documents)
    linesOf(file).forEach((line, index) => {
      const free = /^\||\]\(|^npx esbuild /.test(line);
      assert.ok(free || [...line].length <= WIDTH, `${file}:${index + 1}`);
    });
});

test('every link within the repository leads to a file and a heading of it', () => {
  for (const file of documents)
    for (const [, link] of withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)) {
      const ours = withoutAddress(link);
      if (/^https?:/.test(ours)) continue;
      const [path, anchor] = ours.split('#');
      const folder = ours === link ? posix.dirname(file) : '';
      const target = path ? posix.join(folder, path) : file;
      assert.ok(exists(target), `${file} links to ${link}`);
      if (anchor) assert.ok(anchorsIn(target).includes(anchor), `${file} links to ${link}`);
    }
});

test('every file that ARCHITECTURE.md and the recipes name is there', () => {
  const text = read('ARCHITECTURE.md') + read('docs/recipes.md');
  const named = text.matchAll(/`([\w./-]+\.(?:[ch]|js|md|css|html|d\.ts))`/g);
  const names = [...named].map(([, name]) => name).filter((name) => !/^NAME/.test(name));
  const all = files().map((file) => `/${file}`);
  assert.ok(names.length > 50, `${names.length} names`);
  for (const name of names)
    assert.ok(
      all.some((file) => file.endsWith(`/${name}`)),
      name,
    );
});

test('every measurement that a comment names is a row of docs/tuning.md, under one id', () => {
  const rows = [...read('docs/tuning.md').matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, id]) => id);
  assert.equal(new Set(rows).size, rows.length);
  for (const file of sources)
    for (const [, id] of read(file).matchAll(/tuning\.md#([a-z0-9-]+)/g))
      assert.ok(rows.includes(id), `${file} names ${id}`);
});
