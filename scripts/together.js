/**
 * Files of tests that share a process. Its start costs as much as many files do, and the code that
 * they have in common is compiled once.
 *
 *   node scripts/together.js tests/a.test.js tests/b.test.js   runs them, one after the other
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Folders whose files are about results, or about the files of the repository. */
const SHARED = /^tests\/(attention|cache|cli|layers|matrix|model|package|theory|train|training)\//;
/**
 * A file with one of these changes the process, measures it or takes hooks of its own. Some need a
 * compiler or its programs.
 */
const OWN = new RegExp(
  [
    /^(before|after)(Each)?\(|performance\.now = /,
    /\b(mock|globalThis|Worker|lost-workers|withFault|threaded|shared-calls|gc|memoryUsage)\b/,
    /\b(setFlagsFromString|build\/native|mutant|browsers|file-server)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'm',
);
/** Files of a process: the last lane should not wait long for it. */
const COUNT = 6;

/**
 * Lists of files that run in one process each: neighbours of a folder with the same environment.
 * @param {string[]} files
 * @param {(file: string) => object | undefined} environmentOf
 */
export function together(files, environmentOf = () => undefined) {
  const lists = [];
  /** The lists that take one file more. */
  const open = new Map();
  for (const file of files) {
    const hasOwn = !SHARED.test(file) || OWN.test(readFileSync(file, 'utf8'));
    const kind = hasOwn ? file : `${dirname(file)} ${JSON.stringify(environmentOf(file))}`;
    const list = open.get(kind) ?? [];
    if (!list.length) lists.push(list);
    list.push(file);
    open.set(kind, list.length < COUNT ? list : undefined);
  }
  return lists;
}

/** The parts of a process that the next file could stumble over. */
const state = () => ({
  folder: process.cwd(),
  environment: Object.keys(process.env),
  names: Object.getOwnPropertyNames(globalThis),
  now: performance.now,
  log: console.log,
});

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const file of process.argv.slice(2)) {
    const before = state();
    await import(pathToFileURL(resolve(file)).href);
    // begins when the tests of the file have ended
    await test(`${file} leaves the process as it was`, () => assert.deepEqual(state(), before));
  }
