/**
 * Runs the packed package in the environments of other projects, one after the other, and prints a
 * table. Each is installed from the npm registry, used and removed.
 *
 *   npm run test:environments                  all of them; writes the table of docs/environments.md
 *   npm run test:environments -- Vite jest     those whose names contain one of these words
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { root } from '../support/package/repository.js';
import { closeBrowser } from './browser.js';
import { bundlers } from './bundlers.js';
import { engines } from './engines.js';
import { next } from './next.js';
import { pages } from './pages.js';
import { runners } from './runners.js';
import { types } from './types.js';
import { createProject, packed } from './project.js';
import { expected } from './expected.js';

const words = process.argv.slice(2);
const all = [...engines, ...pages, ...bundlers, ...next, ...runners, ...types];
const chosen = all.filter(({ name }) => !words.length || words.some((word) => name.includes(word)));

/** One row of the table. */
function rowOf({ name, entry, setUp = '', types = false }, result) {
  const right = (key) => (result[key] === expected[key] ? 'yes' : 'NO');
  if (types) return { name, entry, setUp, types: result.error ? 'NO' : 'yes', ...result };
  return {
    name,
    entry,
    setUp,
    attention: right('attention'),
    model: right('model'),
    threads: String(result.threads ?? ''),
    worker: result.worker === 'yes' ? 'yes' : 'no',
    result,
  };
}

const { tarball, remove } = await packed();
const rows = [];
for (const environment of chosen) {
  let result;
  let project;
  try {
    project = await createProject(tarball, environment.packages ?? []);
    result = await environment.run(project);
  } catch (error) {
    result = { error: error.message };
  }
  project?.remove();
  const row = rowOf(environment, result);
  rows.push(row);
  const { result: _, ...shown } = row;
  console.log(Object.values(shown).join(' | '));
  if (Object.values(row).includes('NO') || row.worker === 'no' || row.threads === '1')
    console.log(`    ${JSON.stringify(result).slice(0, 1500)}`);
}
await closeBrowser();
remove();
process.exitCode = rows.some((row) => Object.values(row).includes('NO')) ? 1 : 0;
