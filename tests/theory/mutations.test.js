/**
 * The check can fail: kernels that are wrong in some place, and the statements that must say so,
 * those and no others. A long run builds each mutation by itself. Otherwise those that no statement
 * notices together are built together.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lab } from '../../src/cli/lab.js';
import { examine } from '../../src/cli/statements.js';
import { init } from '../../src/js/index.js';
import { LONG } from '../support/campaign.js';
import { mutant } from './mutants.js';
import { consequences } from './mutations/consequences.js';
import { kernels } from './mutations/kernels.js';
import { statements } from './mutations/statements.js';

const MUTATIONS = [...kernels, ...statements, ...consequences].map(
  ([name, file, from, to, expected]) => ({ name, file, from, to, expected }),
);

/** Mutations that are built together: no statement notices two of them. */
const groups = [];
for (const mutation of MUTATIONS) {
  const apart = ({ expected }) => !expected.some((number) => mutation.expected.includes(number));
  const group = !LONG && groups.find((others) => others.every(apart));
  if (group) group.push(mutation);
  else groups.push([mutation]);
}

const rows = [];
/** The verdicts of the statements on an engine of these modules. */
const examined = async (modules) =>
  examine(await lab(await init({ ...modules, variant: 'simd', layers: true }), 1));
const red = async (modules) => (await examined(modules)).filter(({ holds }) => !holds);

const asBuilt = await examined({});
const numbers = asBuilt.map(({ number }) => number);

test('the kernels as they are violate nothing', () => {
  assert.deepEqual(
    asBuilt.filter(({ holds }) => !holds),
    [],
  );
});

for (const group of groups)
  describe(`wrong in ${group.length === 1 ? 'one place' : `${group.length} places`}`, () => {
    let found;
    before(async () => (found = await red(mutant(group))));

    for (const { name, expected } of group)
      test(`${name} is noticed by ${expected.join(', ')}`, () => {
        const noticed = found.map(({ number }) => number).filter((x) => expected.includes(x));
        rows.push([name, noticed]);
        assert.deepEqual(noticed, expected);
      });

    test(`nothing else is violated by ${group.map(({ name }) => name).join('; ')}`, () => {
      const expected = group.flatMap((mutation) => mutation.expected);
      const others = found.filter(({ number }) => !expected.includes(number));
      assert.deepEqual(
        others.map(
          ({ number, worst }) => `${number}: ${worst.sides}, ${worst.ratio} of what is allowed`,
        ),
        [],
      );
    });
  });

test('the command says so, and ends with status 1', () => {
  const mutation = MUTATIONS.find(({ expected }) => expected.includes(11));
  const wasm = join(mkdtempSync(join(tmpdir(), 'clearhead-wrong-')), 'attn.wasm');
  writeFileSync(wasm, mutant([mutation]).wasm);
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
  assert.equal(status, 1, mutation.name);
  assert.deepEqual(
    [...stdout.matchAll(/^ {1,2}(\d+) {2}.*(?:\n {5}.*)*?✗ VIOLATED$/gm)].map(([, number]) =>
      Number(number),
    ),
    [1, 11],
  );
  assert.match(stdout, /NOT all statements hold: 1 attention, 11 grouped queries/);
});

test('every statement has a mutation that it notices', () => {
  assert.deepEqual(
    [...new Set(MUTATIONS.flatMap(({ expected }) => expected))].sort((a, b) => a - b),
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
        ([name, found]) =>
          `${name.padEnd(52)}` +
          `${numbers.map((number) => (found.includes(number) ? '  ✗' : '  ·')).join('')}`,
      ),
      '',
    ].join('\n'),
  );
});
