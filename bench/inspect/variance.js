/**
 * The cost of the variance among the statistics: attention alternates between this engine and one
 * that is built from the same sources without it. Times are of the processor.
 *
 *   node bench/inspect/variance.js
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { init } from '../../src/js/index.js';
import { random } from '../../tests/support/random.js';
import { median } from '../spread.js';
import { PARTS } from './variance-parts.js';

const SIZES = { heads: 12, m: 1024, n: 1024, dim: 64 };
const ROUNDS = 25;

/** Another source folder, built without the variance. */
function buildWithout() {
  const folder = fileURLToPath(new URL('../../build/bench/without-variance/', import.meta.url));
  rmSync(folder, { recursive: true, force: true });
  for (const name of ['CMakeLists.txt', 'scripts', 'src'])
    cpSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), folder + name, {
      recursive: true,
    });
  const compiler = fileURLToPath(new URL('../../.toolchain', import.meta.url));
  if (existsSync(compiler)) symlinkSync(compiler, `${folder}.toolchain`);
  for (const [name, parts] of Object.entries(PARTS)) {
    const file = `${folder}src/c/attention/${name}`;
    let text = readFileSync(file, 'utf8');
    for (const [part, other] of parts) {
      if (!text.includes(part)) throw new Error(`${name} has no "${part}"`);
      text = text.replace(part, other);
    }
    writeFileSync(file, text);
  }
  const args = ['scripts/build.sh', 'wasm', 'attn.simd'];
  const { status } = spawnSync('bash', args, { cwd: folder, stdio: 'inherit' });
  if (status) throw new Error('the engine without variance was not built');
  return `${folder}src/js/index.js`;
}

const other = await import(buildWithout());
const options = { threads: 1, variant: /** @type {const} */ ('simd') };
const [engine, without] = [await init(options), await other.init(options)];
const { heads, m, n, dim } = SIZES;
const r = random(1);
const numbers = (/** @type {number} */ rows) =>
  Float32Array.from({ length: heads * rows * dim }, () => r.normal());
const [q, k, v] = [numbers(m), numbers(n), numbers(n)];

/**
 * Milliseconds of the processor.
 * @param {import('../../src/js/types.d.ts').Engine} by
 * @param {object} want
 */
function time(by, want) {
  const before = process.cpuUsage();
  by.attention(q, k, v, { heads, headDim: dim, want });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const CASES = [
  { name: 'without statistics', by: engine, want: {} },
  { name: 'statistics without the variance', by: without, want: { stats: true } },
  { name: 'statistics', by: engine, want: { stats: true } },
];
for (const { by, want } of CASES) time(by, want);
const times = CASES.map(() => /** @type {number[]} */ ([]));
for (let round = 0; round < ROUNDS; round++)
  CASES.forEach(({ by, want }, at) => times[at].push(time(by, want)));
CASES.forEach(({ name }, at) =>
  console.log(`${name.padEnd(32)} ${median(times[at]).toFixed(1)} ms`),
);
const more = median(times[2].map((ms, round) => ms / times[1][round]));
console.log(`the variance: +${(100 * (more - 1)).toFixed(1)} %, ${ROUNDS} rounds`);
