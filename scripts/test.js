/**
 * Everything that CI checks, on the Node that runs this and on a newer one; of other engines what
 * tests/other-engines names.
 *
 *   npm test                           everything
 *   npm test -- tests/x.test.js ...    these files on both, without the other checks, and without
 *                                      the native programs where none needs them
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import process from 'node:process';
import { newerNode } from '../tests/engines/newer-node/index.js';

process.chdir(new URL('..', import.meta.url).pathname);

/** These do not run on the JavaScript engine under test, so once is enough. */
const once = (file) =>
  /^tests\/(package|web|engines)\/|(\/|-)native\.test\.js$|\/mutations\.test\.js$/.test(file);

const rows = [];
const counts = { pass: 0, fail: 0, skipped: 0 };

/** Runs a command, shows what it prints, and notes how it went. */
async function step({ name, env }, command, ...args) {
  console.log(`\n== ${name}`);
  const start = performance.now();
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...env, ...process.env },
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    process.stdout.write(chunk);
    printed += chunk;
  });
  const ok = await new Promise((done) => {
    child.on('error', (error) => {
      console.error(error.message);
      done(false);
    });
    child.on('close', (code) => done(code === 0));
  });
  for (const key of Object.keys(counts))
    counts[key] += Number(printed.match(new RegExp(`^ℹ ${key} (\\d+)$`, 'm'))?.[1] ?? 0);
  if (!ok && !/^ℹ fail [1-9]/m.test(printed)) counts.fail += 1;
  rows.push({ name, ok, seconds: (performance.now() - start) / 1000 });
  return ok;
}

const nodeTest = ['--test', '--test-reporter=spec', '--test-timeout=300000'];
const nodes = [{ name: `node ${process.versions.node}`, path: process.execPath }];
// the kernels are the same there, so a tenth of the random cases tells
if (newerNode)
  nodes.push({ name: 'newer node', path: newerNode, env: { CLEARHEAD_CASES: '10000' } });
else
  console.log(`SKIPPED newer node: the registry has none for ${process.platform}-${process.arch}`);

const chosen = process.argv.slice(2);
const files = readdirSync('tests', { recursive: true })
  .map((name) => `tests/${name}`)
  .filter((name) => name.endsWith('.test.js') && !name.includes('/node_modules/'))
  .sort();

const native =
  chosen.length === 0 ||
  chosen.some((file) => !file.endsWith('.test.js') || /native[^/]*$/.test(file));
const built =
  (await step({ name: 'build' }, 'bash', 'scripts/build.sh')) &&
  (!native || (await step({ name: 'build native' }, 'bash', 'scripts/build.sh', 'native')));
if (built) {
  if (chosen.length === 0) {
    await step({ name: 'types' }, 'node_modules/.bin/tsc', '-p', '.');
    await step({ name: 'lint' }, process.execPath, 'scripts/lint.js');
  }
  const each = chosen.length ? chosen : files.filter((file) => !once(file));
  // two files at a time: none of them measures time, and most wait for one thread
  for (const node of nodes)
    await step(node, node.path, ...nodeTest, '--test-concurrency=2', ...each);
  if (chosen.length === 0)
    await step(
      { name: 'native, engines, package' },
      process.execPath,
      ...nodeTest,
      ...files.filter(once),
    );
}

console.log('');
for (const { name, ok, seconds } of rows)
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(26)} ${seconds.toFixed(1).padStart(7)} s`);
console.log(`${counts.pass} passed, ${counts.fail} failed, ${counts.skipped} skipped`);
process.exitCode = rows.every((row) => row.ok) ? 0 : 1;
