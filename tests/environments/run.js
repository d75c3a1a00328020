/**
 * Runs the packed package in the environments of other projects, one after the other, and writes
 * the table of docs/environments.md. Each is installed from the npm registry, used and removed.
 * It fails where attention, a model or the types are not right, or where there are other threads or
 * workers than docs/environments.md states.
 *
 *   npm run test:environments                  all of them
 *   npm run test:environments -- Vite jest     those whose names contain one of these words
 */
import process from 'node:process';
import { closeBrowser } from './browser.js';
import { bundlers } from './bundlers.js';
import { engines } from './engines.js';
import { expected } from './expected.js';
import { next } from './next.js';
import { pages } from './pages.js';
import { createProject, packed } from './project.js';
import { runners } from './runners.js';
import { writeTable } from './table.js';
import { types } from './types.js';

const words = process.argv.slice(2);
const all = [...engines, ...pages, ...bundlers, ...next, ...runners, ...types];
const chosen = all.filter(({ name }) => !words.length || words.some((word) => name.includes(word)));

/** The results in an environment, or the error. */
async function resultOf(environment, tarball) {
  let project;
  try {
    project = await createProject(tarball, environment.packages ?? []);
    return await environment.run(project);
  } catch (error) {
    return { error: error.message };
  } finally {
    project?.remove();
  }
}

const code = (text) => (text ? `\`${text}\`` : '');

/**
 * Compilers say only whether the types are right. Places without workers have one thread, and say
 * why there is no worker.
 */
function cellsOf({ entry, setUp, types: onlyTypes = false, withoutWorkers = false }, result) {
  const none = ['', '', ''];
  if (onlyTypes) return [code(entry), '', ...Array(2).fill(result.error ? 'NO' : 'types'), ...none];
  const right = (key) => (!result.error && result[key] === expected[key] ? 'yes' : 'NO');
  const threads = withoutWorkers ? 1 : 2;
  const inWorker = (key) =>
    withoutWorkers ? (/^no: /.test(result[key]) ? 'no' : 'NO') : right(key);
  return [
    code(entry),
    code(setUp),
    right('attention'),
    right('model'),
    result.threads === threads ? threads : `NO: ${result.threads}`,
    inWorker('modelInWorker'),
    inWorker('attentionInWorker'),
  ];
}

const { tarball, remove } = await packed();
const rows = [];
for (const environment of chosen) {
  const result = await resultOf(environment, tarball);
  const row = { name: environment.name, cells: cellsOf(environment, result) };
  rows.push(row);
  console.log([row.name, ...row.cells].join(' | '));
  const { error, why, attentionInWorker, modelInWorker } = result;
  for (const [what, said] of Object.entries({ error, why, attentionInWorker, modelInWorker }))
    if (said && said !== 'yes') console.log(`    ${what}: ${said.slice(0, 2000)}`);
}
await closeBrowser();
remove();
writeTable(
  rows,
  all.map(({ name }) => name),
);
const wrong = rows.filter(({ cells }) => cells.some((cell) => /^NO/.test(cell)));
console.log(`${rows.length - wrong.length} of ${rows.length} are right`);
process.exitCode = wrong.length ? 1 : 0;
