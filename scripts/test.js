/**
 * Everything that CI checks, three things at a time. Each file of tests runs on the Node that runs
 * this. Those whose subject differs on a newer Node run there too.
 *
 *   npm test                           everything
 *   npm test -- tests/x.test.js ...    these files on both
 *   npm run test:long                  a million random cases, threads ten times, more native
 *                                      programs, and each mutation by itself; with figures
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';
import { newerNode } from '../tests/engines/newer-node/index.js';
import { shareBrowsers } from '../tests/web/browsers.js';
import { shareBundle } from '../tests/web/start/bundle.js';
import { together } from './together.js';

process.chdir(new URL('..', import.meta.url).pathname);

/** More than a small machine has cores: many tests wait, for threads or for a browser. */
const LANES = 3;
const long = process.argv.includes('--long');
const chosen = process.argv.slice(2).filter((argument) => argument !== '--long');

/** Programs in C. */
const NATIVE = /(\/|-)native\.test\.js$/;
/** Files with random cases or builds, of which a long run has many more. */
const CAMPAIGNS = new RegExp(
  '^tests/(attention/(hostile(-threads)?|random)|cli/check|package/build|' +
    'layers/error-rule|model/(files/(gguf-damage|safetensors-errors)|run/hostile(-json)?)|' +
    'theory/(large|mutations)|' +
    'train/(attention-gradient(-extremes)?|random-models)|training/(shipped|tokens|world)|' +
    'web/(built|head-numbers|layout|look/(seen|story)|mutations|numbers|library/threads))[.]|' +
    NATIVE.source,
);
/** Files in which threads meet at random; a long run has them ten times. */
const SOAK =
  /^tests\/(engine\/(threads|lost-workers)\.|model\/run\/(decoder-threads|generate)|worker\/)/;
/**
 * The newer Node has relaxed SIMD, and tests the kernels of that variant. These files have it among
 * their engines. Its bits with the other variant are those of this Node in
 * tests/engines/others/same-bits.test.js, and tests/package/install.test.js checks all statements
 * with it. Files about options, errors, files and workers are tested once.
 */
const NEWER = new RegExp(
  '^tests/(attention/(?!bad-input)|cache|layers|matrix|engine/(threads|init)[.]|' +
    'model/inside/(interventions(-live)?|overflow|trace)[.]|model/inspect/(ledger|sweep)|' +
    `model/run/${long ? '' : '(?!decoder-threads)'}|train/|` +
    'theory/(cost|entropy|frontier|gibbs|hopfield|likelihood|prior|sharpness)[.])',
);
const ENGINES = /support\/(models\/)?engines\.js'/;
const hasRelaxed = (file) => NEWER.test(file) && ENGINES.test(readFileSync(file, 'utf8'));
/** Of these the newer Node runs both variants: they compare them, or have no other test there. */
const BOTH =
  /^tests\/(attention\/(attention|int8-limits)|cache\/snapshot-versions|engine\/init|matrix)/;
const RELAXED = { CLEARHEAD_VARIANT: 'relaxed' };
/** These do not run on the JavaScript engine under test, so once is enough. */
const ONCE = /(\/|-)(native|mutations|torch)\.test\.js$|^tests\/(package|training|web|engines)\//;
/** Files that look at a page. */
const BROWSERS = /^tests\/(web\/|training\/engines|engines\/others\/same-bits|package\/inline)/;
/** The longest files first, so that the lanes end together. */
const LONGEST = [
  'engines/others/suites',
  'web/library/model',
  'web/mutations',
  'web/page',
  'web/look/story',
  'web/built',
  'web/library/threads',
  'web/webkit',
  'web/layout',
  'web/numbers',
  'engine/lost-workers',
  'model/run/decoder-threads',
  'package/install',
  'attention/native',
];

const testFiles = readdirSync('tests', { recursive: true })
  .map((name) => `tests/${name}`)
  .filter((name) => name.endsWith('.test.js') && !name.includes('/node_modules/'));
const rank = (file) => {
  const at = LONGEST.findIndex((name) => file.includes(name));
  return at < 0 ? LONGEST.length : at;
};
const files = (chosen.length ? chosen : testFiles)
  .filter((file) => !long || CAMPAIGNS.test(file) || SOAK.test(file))
  .flatMap((file) => (long && SOAK.test(file) ? Array(10).fill(file) : file))
  .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));

/** Milliseconds after which a test hangs. */
const timeout = long ? 4 * 3600e3 : 420e3;
/** Files run without `node --test`, which starts one process more. */
const nodeTest = ['--test-reporter=spec'];
const TOGETHER = 'scripts/together.js';
const nodes = [{ name: `node ${process.versions.node}`, path: process.execPath, runs: () => true }];
if (newerNode)
  nodes.push({
    name: 'newer node',
    path: newerNode,
    runs: (file) => !ONCE.test(file) && (chosen.length > 0 || hasRelaxed(file)),
    env: (file) => (chosen.length || BOTH.test(file) ? {} : RELAXED),
  });
else
  console.log(`SKIPPED newer node: the registry has none for ${process.platform}-${process.arch}`);

/** The results of jobs that have ended, for jobs that need them. */
const done = new Set();
const jobs = [];
const job = (name, command, args, { needs = [], gives = '', env = {} } = {}) =>
  jobs.push({ name, command, args, needs, gives, env });

const build = 'bash scripts/build.sh && node scripts/bundle.js && node scripts/publish.js';
job('build', 'bash', ['-c', build], { gives: 'built' });
if (files.some((file) => NATIVE.test(file)))
  job('build native', 'bash', ['scripts/build.sh', 'native', ...(long ? ['long'] : [])], {
    gives: 'native',
  });
if (!chosen.length && !long) {
  job('lint', process.execPath, ['scripts/lint.js']);
  job('types', 'node_modules/.bin/tsc', ['-p', '.']);
}
for (const node of nodes) {
  const own = files.filter(node.runs);
  const lists = chosen.length || long ? own.map((file) => [file]) : together(own, node.env);
  for (const list of lists) {
    const [file, ...others] = list;
    const names = [file, ...others.map((other) => basename(other, '.test.js'))];
    const program = others.length ? [TOGETHER, ...list] : list;
    job(`${names.join(', ')} (${node.name})`, node.path, [...nodeTest, ...program], {
      needs: NATIVE.test(file) ? ['built', 'native'] : ['built'],
      env: node.env?.(file),
    });
  }
}

const rows = [];
const counts = { pass: 0, fail: 0, skipped: 0 };

/** @type {ReturnType<typeof shareBrowsers> | undefined} */
let sharing;
/** @type {ReturnType<typeof shareBundle> | undefined} */
let bundling;
/** All files use the same two browsers and the same bundle of the page: each takes seconds. */
async function environmentOf(name) {
  if (chosen.length || !BROWSERS.test(name)) return {};
  sharing ??= shareBrowsers();
  bundling ??= shareBundle();
  return { ...(await sharing).env, ...(await bundling) };
}

/**
 * The seconds that all children who have ended used a processor: their share of a busy machine does
 * not change them. Browsers are not among them. 0 where there is no /proc.
 */
function processorSeconds() {
  if (!existsSync('/proc/self/stat')) return 0;
  const [, fields] = readFileSync('/proc/self/stat', 'latin1').split(') ');
  const [user, system] = fields.split(' ').slice(13, 15).map(Number);
  return (user + system) / 100;
}
let processorBefore = 0;

/** Runs a job to its end. Its output is shown where it failed, or where files were chosen. */
async function run({ name, command, args, gives, env }) {
  const start = performance.now();
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...(await environmentOf(name)),
      ...env,
      ...(long && { CLEARHEAD_LONG: '1' }),
    },
  });
  let said = '';
  let processor = 0;
  child.on('exit', () => {
    const now = processorSeconds();
    processor = now - processorBefore;
    processorBefore = now;
  });
  const end = () => {
    said += `\n${name} was ended after ${timeout / 1000} s\n`;
    child.kill('SIGKILL');
  };
  // a build takes as long as the machine needs
  const hung = gives ? undefined : setTimeout(end, timeout);
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const ok = await new Promise((settled) => {
    child.on('error', (error) => {
      said += error.message;
      settled(false);
    });
    child.on('close', (code) => settled(code === 0));
  });
  clearTimeout(hung);
  for (const key of Object.keys(counts))
    counts[key] += Number(said.match(new RegExp(`^ℹ ${key} (\\d+)$`, 'm'))?.[1] ?? 0);
  if (!ok && !/^ℹ fail [1-9]/m.test(said)) counts.fail += 1;
  const seconds = (performance.now() - start) / 1000;
  rows.push({ name, ok, seconds, processor });
  const columns = [seconds, processor].map((each) => `${each.toFixed(1).padStart(6)} s`);
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${columns.join(' ')}  ${name}`);
  if (!ok || chosen.length) console.log(said);
  else for (const line of said.split('\n').filter(told)) console.log(`         ${line.trim()}`);
  if (ok) done.add(gives);
  else if (gives) drop(gives);
}

/** Of a job that passed: warnings and omissions, and the figures of a campaign. */
const told = (line) => /WARNING|SKIPPED|# SKIP/.test(line) || (long && /^\s*ℹ .*\d.* /.test(line));

/** Nothing runs that needs a result which there will not be. */
function drop(result) {
  const remaining = jobs.filter(({ needs }) => !needs.includes(result));
  console.log(`${jobs.length - remaining.length} jobs need the ${result} files, and do not run`);
  jobs.splice(0, jobs.length, ...remaining);
}

/** Takes one job after the other; waits where the remaining ones need another to end. */
async function lane() {
  while (jobs.length) {
    const at = jobs.findIndex(({ needs }) => needs.every((need) => done.has(need)));
    if (at < 0) await new Promise((later) => setTimeout(later, 100));
    else await run(jobs.splice(at, 1)[0]);
  }
}

const begun = performance.now();
await Promise.all(Array.from({ length: LANES }, lane));
await (await sharing)?.close();

const failed = rows.filter(({ ok }) => !ok);
const sumOf = (field) => rows.reduce((sum, row) => sum + row[field], 0);
console.log(`\nThe slowest of ${rows.length}, with seconds of a processor:`);
for (const { name, seconds, processor } of rows.sort((a, b) => b.seconds - a.seconds).slice(0, 10))
  console.log(`${seconds.toFixed(1).padStart(7)} s ${processor.toFixed(1).padStart(7)} s  ${name}`);
for (const { name } of failed) console.log(`FAILED ${name}`);
const wall = (performance.now() - begun) / 1000;
console.log(
  `${wall.toFixed(0)} s in ${LANES} lanes, ${sumOf('seconds').toFixed(0)} s of them all, ` +
    `${sumOf('processor').toFixed(0)} s of processors`,
);
console.log(`${counts.pass} passed, ${counts.fail} failed, ${counts.skipped} skipped`);
process.exitCode = failed.length ? 1 : 0;
