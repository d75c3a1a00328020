/**
 * The check can fail: kernels that are wrong in one place each, and the statements that must say
 * so, those and no others.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lab } from '../../src/cli/lab.js';
import { examine } from '../../src/cli/statements.js';
import { init } from '../../src/js/index.js';
import { mutant } from './mutants.js';
import { kernels } from './mutations/kernels.js';
import { statements } from './mutations/statements.js';

const MUTATIONS = [...kernels, ...statements];

const rows = [];
/** The verdicts of the statements on an engine of these modules. */
const examined = async (modules) =>
  examine(await lab(await init({ ...modules, variant: 'simd', layers: true }), 1));
const red = async (modules) => (await examined(modules)).filter(({ holds }) => !holds);

const numbers = (await examined({})).map(({ number }) => number);

test('the kernels as they are violate nothing', async () => {
  assert.deepEqual(await red({}), []);
});

for (const [name, file, from, to, expected] of MUTATIONS)
  test(`${name} is noticed by ${expected.join(', ')} and by nothing else`, async () => {
    const found = await red(mutant(file, from, to));
    rows.push([name, file, found.map(({ number }) => number)]);
    assert.deepEqual(
      found.map(({ number }) => number),
      expected,
      found
        .map(({ number, worst }) => `${number}: ${worst.sides}, ${worst.ratio} of what is allowed`)
        .join('; '),
    );
  });

test('the command says so, and ends with status 1', () => {
  const [name, file, from, to] = MUTATIONS.find(([, , , , expected]) => expected.includes(11));
  const wasm = join(mkdtempSync(join(tmpdir(), 'clearhead-wrong-')), 'attn.wasm');
  writeFileSync(wasm, mutant(file, from, to).wasm);
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      fileURLToPath(new URL('../../src/cli/clearhead.js', import.meta.url)),
      'check',
      '--wasm',
      wasm,
    ],
    { encoding: 'utf8' },
  );
  rmSync(dirname(wasm), { recursive: true });
  assert.equal(status, 1, name);
  assert.deepEqual(
    [...stdout.matchAll(/^ *(\d+) .*✗ VIOLATED$/gm)].map(([, number]) => Number(number)),
    [1, 11],
  );
  assert.match(stdout, /NOT all statements hold: 1 attention, 11 grouped queries/);
});

test('every statement has a mutation that it notices', () => {
  assert.deepEqual(
    [...new Set(MUTATIONS.flatMap(([, , , , expected]) => expected))].sort((a, b) => a - b),
    numbers,
  );
});

after(() => {
  const columns = numbers.map((number) => String(number).padStart(3)).join('');
  console.log(
    [
      '',
      `${'mutation'.padEnd(52)}${columns}`,
      ...rows.map(
        ([name, , found]) =>
          `${name.padEnd(52)}` +
          `${numbers.map((number) => (found.includes(number) ? '  ✗' : '  ·')).join('')}`,
      ),
      '',
    ].join('\n'),
  );
});
