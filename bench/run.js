/**
 * npm run bench: Clearhead, its peers and the machine's limits, in one run.
 *
 *   --quick          the main cases without whole models, three rounds, a few minutes
 *   --only A,B sections: limits, matmul, gradient, prefill, gqa, heads, window, decode, threads,
 *   training, memory, cold, size, models
 *   --models A,B of the section models only these files, as SmolLM2-135M-Q8_0; all of them take an
 *   hour, most of it the peer's
 *   --rounds N       default 7; of whole models at most 3, of training at least 30 without --quick
 *   --json           the results as JSON on standard output instead of tables
 *   --chart          draw docs/bench.svg from them
 *   --this-node on the Node that runs this; by default on the newer one that the tests install,
 *   which has relaxed SIMD
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { newerNode } from '../tests/engines/newer-node/index.js';
import { blockLines, measureBlock } from './block.js';
import { openBrowser, openBrowserSide } from './browser.js';
import { COLD, MEMORY, cases } from './cases.js';
import { chart } from './chart.js';
import { coldStarts, memories } from './fresh.js';
import { complaints, passedLimits } from './limits/check.js';
import { measureCase } from './measure.js';
import { MODELS, measureModels } from './models/index.js';
import { caseBlock, freshTables, heading, summary, targetTable } from './report.js';
import { openSide, reason } from './side.js';
import { downloads } from './size.js';
import { targets } from './targets.js';
import { measureTraining, trainingLines } from './training.js';
import { STEPS } from './undisturbed.js';

const SECTIONS = [
  'limits',
  'matmul',
  'gradient',
  'prefill',
  'gqa',
  'heads',
  'window',
  'decode',
  'threads',
  'training',
  'memory',
  'cold',
  'size',
  'models',
];

function options() {
  const flags = ['quick', 'json', 'chart', 'this-node'].map((name) => [name, { type: 'boolean' }]);
  const values = ['only', 'models', 'rounds'].map((name) => [name, { type: 'string' }]);
  try {
    const { values: given } = parseArgs({ options: Object.fromEntries([...flags, ...values]) });
    const only =
      given.only?.split(',') ??
      SECTIONS.filter((name) => name !== 'models' || given.models || !given.quick);
    const rounds = Number(given.rounds ?? (given.quick ? 3 : 7));
    for (const name of only)
      if (!SECTIONS.includes(name))
        throw new Error(`--only ${name}: there is ${SECTIONS.join(', ')}`);
    const models = given.models?.split(',');
    for (const name of models ?? [])
      if (!MODELS.includes(name))
        throw new Error(`--models ${name}: there is ${MODELS.join(', ')}`);
    if (!(Number.isInteger(rounds) && rounds > 0))
      throw new Error(`--rounds ${given.rounds}: a whole number from 1`);
    return {
      only,
      models,
      rounds,
      quick: Boolean(given.quick),
      json: given.json,
      chart: given.chart,
      here: given['this-node'],
    };
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

const { only, models, rounds, quick, json, here, chart: drawn } = options();
const self = fileURLToPath(import.meta.url);

if (newerNode && process.execPath !== newerNode && !here) {
  const { status } = spawnSync(newerNode, [self, ...process.argv.slice(2), '--this-node'], {
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}

const how = {
  rounds,
  slice: quick ? 0.02 : 0.1,
  budget: quick ? 0.3 : 2,
  warm: quick ? 0.05 : 0.1,
};
const { dependencies: versions } = JSON.parse(
  readFileSync(new URL('package.json', import.meta.url), 'utf8'),
);
const started = performance.now();

const say = (text) => (json ? process.stderr : process.stdout).write(`${text}\n`);

const engine = `Node ${process.versions.node.split('.').slice(0, 2).join('.')}`;
const browser = await openBrowser().catch((error) => ({
  why: `no browser: ${reason(error)}`,
  close() {},
}));
const load = (url) => readFile(url);
/** The contenders of Node by the file that opens them, and those of the page. */
const IN_NODE = ['ours', 'naive', 'onnx', 'tfjs', 'jax'];
const IN_PAGE = ['limits', 'ours', 'litert'];
const openers = { limits: (await import('./limits/limits.js')).open };
for (const name of IN_NODE)
  openers[name] = async (options) => (await import(`./peers/${name}.js`)).open(options);

const results = {
  date: new Date().toISOString(),
  node: { engine, v8: process.versions.v8, relaxed: false },
  browser: browser.why ? { why: browser.why } : { name: browser.name },
  machine: {
    cpu: cpus()[0]?.model ?? 'an unknown processor',
    cores: cpus().length,
    load: loadavg()[0].toFixed(1),
  },
  options: { quick, rounds, only },
  present: [],
  absent: [],
  cases: {},
};

/** Opens sides and notes who came and who did not, and why. */
async function open(names) {
  const sides = [];
  const keep = ({ side, present, absent }) => {
    sides.push(side);
    results.present.push(...present);
    results.absent.push(...absent);
  };
  if (names.node) keep(await openSide(openers, { load, versions }, engine));
  for (const options of names.pages) {
    if (browser.why)
      results.absent.push({
        name: options.names.join(', '),
        engine: 'a browser',
        why: browser.why,
      });
    else
      keep(
        await openBrowserSide(browser, options.names, {
          versions,
          lean: true,
          threads: options.threads,
        }),
      );
  }
  return sides;
}

const attending = cases.filter(
  (c) => only.includes(c.section) && (c.quick || !quick || c.section === 'limits'),
);
if (attending.length) {
  const sides = await open({ node: true, pages: [{ names: IN_PAGE, threads: 1 }] });
  results.node.relaxed = results.present.some(
    (each) => each.name === 'clearhead relaxed' && each.engine === engine,
  );
  say(`${heading(results)}\n`);
  for (const { name, engine: where, why } of results.absent)
    say(`absent: ${name} (${where}): ${why}`);
  for (const c of attending) {
    results.cases[c.id] = await measureCase(sides, c, how);
    say(caseBlock(c, results.cases[c.id], engine));
  }
  for (const side of sides) await side.close?.();
}

if (only.includes('threads')) {
  // All peers but one have threads in a page only. One thread of ours is there for comparison.
  const came = results.absent.length;
  const sides = await open({
    pages: [
      { names: ['ours'], threads: 1 },
      { names: ['limits', 'ours', 'onnx', 'tfjs', 'jax', 'litert'], threads: 2 },
    ],
  });
  for (const { name, engine: where, why } of results.absent.slice(came))
    say(`absent: ${name} (${where}): ${why}`);
  const c = cases.find(({ id }) => id === 'prefill-12-12-512-64');
  if (sides.length) {
    results.threads = { [c.id]: await measureCase(sides, c, { ...how, pause: 0.03 }) };
    say(caseBlock({ ...c, title: `${c.title}, two threads` }, results.threads[c.id], engine));
  }
  for (const side of sides) await side.close?.();
}

if (only.includes('training')) {
  const steps = quick ? rounds : Math.max(rounds, STEPS);
  results.training = await measureTraining({ rounds: steps, load });
  say(trainingLines(results.training));
  results.block = await measureBlock({ rounds, versions });
  say(blockLines(results.block));
}

if (only.includes('memory'))
  results.memory = await memories(browser, engine, {
    ids: MEMORY.slice(0, quick ? 1 : 2).map(({ id }) => id),
    versions,
  });
if (only.includes('cold'))
  results.cold = await coldStarts(browser, engine, { id: COLD.id, times: quick ? 3 : 7, versions });
if (only.includes('size')) results.size = await downloads({ quick, versions });
if (only.includes('models')) {
  if (browser.why)
    results.absent.push({ name: 'whole models', engine: 'a browser', why: browser.why });
  else
    results.models = await measureModels(browser, {
      models: models ?? MODELS,
      rounds: Math.min(rounds, 3),
      say,
    });
}
await browser.close();

results.targets = targets(results);
results.seconds = Math.round((performance.now() - started) / 1000);
say(freshTables(results));
for (const { name, engine: where, why } of results.absent)
  say(`absent: ${name} (${where}): ${why}\n`);
if (Object.keys(results.cases).length) say(summary(results));
say(targetTable(results.targets));
results.passed = passedLimits(results);
for (const line of complaints(results.passed)) console.error(`error: ${line}`);

const folder = new URL('results/', import.meta.url);
mkdirSync(folder, { recursive: true });
const text = `${JSON.stringify(results, null, 1)}\n`;
for (const name of ['latest', results.date.replace(/[:.]/g, '-')])
  writeFileSync(new URL(`${name}.json`, folder), text);
say(`${results.seconds} s; bench/results/latest.json has every sample`);
if (drawn) writeFileSync(new URL('../docs/bench.svg', import.meta.url), chart(results));
// libraries keep threads and timers
process.stdout.write(json ? text : '', () => process.exit(results.passed.length ? 1 : 0));
