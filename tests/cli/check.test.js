/** `clearhead check`: its report, and the same report for other data. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bounded, compare, exact, lab, nearestBound } from '../../src/cli/lab.js';
import { examine } from '../../src/cli/statements.js';
import { STATEMENTS } from '../../src/cli/statement-list.js';
import { repeats } from '../support/campaign.js';
import { engines } from '../support/models/engines.js';

const command = fileURLToPath(new URL('../../src/cli/clearhead.js', import.meta.url));
/** Attention alone, which is too little. */
const attention = fileURLToPath(new URL('../../src/js/engine/attn.simd.wasm', import.meta.url));
const SEEDS = repeats(3, 200);
const check = (...args) =>
  execFileSync(process.execPath, [command, 'check', ...args], { encoding: 'utf8' });

for (const { variant, ch } of engines)
  test(`no statement is violated for any of ${SEEDS} seeds (${variant})`, async (t) => {
    let nearest = { ratio: 0 };
    for (let seed = 0; seed < SEEDS; seed++)
      for (const { number, holds, worst, parts } of examine(await lab(ch, seed * 1009))) {
        assert.ok(holds, `seed ${seed}, statement ${number}: ${JSON.stringify(worst)}`);
        for (const part of parts)
          if (part.kind === 'identity' && part.unit === 'u' && part.ratio > nearest.ratio)
            nearest = { number, ...part };
      }
    t.diagnostic(
      `nearest to what rounding allows: statement ${nearest.number}, ${nearest.sides}, ` +
        `${Math.round(100 * nearest.ratio)} %`,
    );
    assert.ok(nearest.ratio > 0.1, 'the allowances are no wider than ten times what is seen');
  });

const usual = check();
const columns = (line) => [...line].length;

test('no line is longer than 80 columns', () => {
  for (const line of [usual, check('--all')].flatMap((text) => text.split('\n')))
    assert.ok(columns(line) <= 80, `${columns(line)} columns: ${line}`);
});

test('each statement has a line of words, and one with its formula and verdict', () => {
  const lines = /^ {1,2}(\d+) {2}(.+?): (.+)\n {5}(.*?) {2,}.*✓ (?:holds|exact|bound.*)$/gm;
  const found = [...usual.matchAll(lines)].map(([, number, name, words, formula]) => ({
    number: Number(number),
    name,
    words,
    formula,
  }));
  assert.deepEqual(
    found,
    STATEMENTS.map(({ number, name, words, formula }) => ({ number, name, words, formula })),
  );
});

test('the manuals of the statements tell each one, or name the header that does', () => {
  const manual = ['theory', 'sensitivity', 'consequences']
    .map((name) => readFileSync(new URL(`../../src/include/${name}.h`, import.meta.url), 'utf8'))
    .join('\n');
  const here = manual.matchAll(/^\/\* ---- Statements? (\d+)(?: and (\d+))?/gm);
  const elsewhere = manual.matchAll(/\.h \((\d+)(?:, (\d+))?(?: and (\d+))?\)/g);
  const told = [...here, ...elsewhere].flatMap(([, ...numbers]) => numbers.filter(Boolean));
  assert.deepEqual(
    told.map(Number).sort((a, b) => a - b),
    STATEMENTS.map(({ number }) => number),
  );
});

test('statement 6 stands beside the published figures, and the last line sums up', () => {
  assert.match(usual, /σ² = 8 \(published: 8\)/);
  assert.match(usual, /◌ vacuous/);
  assert.match(
    usual.trimEnd().split('\n').at(-1),
    /^All \d+ statements hold; \d of statement 12's 8 bounds (is|are) vacuous/,
  );
});

test('--json has every comparison, with both sides and the allowance', () => {
  const { holds, variant, seed, statements, equivalence, reference } = JSON.parse(
    check('--json', '--seed', '7', '--variant', 'simd'),
  );
  assert.deepEqual([holds, variant, seed, reference.sigma2], [true, 'simd', 7, 8]);
  for (const type of ['float64', 'float32'])
    assert.ok(equivalence.find((x) => x.type === type).weights.ratio <= 1);
  for (const { number, name, formula, holds: fine, parts } of statements) {
    assert.ok(fine && name && formula && parts.length > 0, `statement ${number}`);
    for (const { sides, kind, left, right, measured, allowed, verdict, unit } of parts) {
      assert.match(kind, /^(identity|bound)$/, sides);
      assert.ok(Number.isFinite(left) && Number.isFinite(right), sides);
      if (kind === 'bound') assert.deepEqual([left, right], [measured, allowed], sides);
      else if (measured === 0) assert.equal(left, right, sides);
      else assert.ok(left !== right && unit, sides);
      assert.ok(
        Number.isFinite(measured) && Number.isFinite(allowed) && measured <= allowed * (1 + 1e-12),
        sides,
      );
      assert.match(verdict, kind === 'bound' ? /^(bound|vacuous)$/ : /^holds$/, sides);
    }
  }
});

test('an argument that is not understood ends with status 2', () => {
  for (const args of [
    ['--seed', 'x'],
    ['--variant', 'fast'],
    ['--nonsense'],
    ['--variant='],
    ['--wasm='],
    ['--wasm', command],
    ['--wasm', attention],
  ])
    assert.equal(spawnSync(process.execPath, [command, 'check', ...args]).status, 2, `${args}`);
});

test('a comparison fails beyond its allowance, at NaN and where the allowance is infinite', () => {
  const { verdict, left, right, measured } = compare('', [
    [8, 7, 1, 2],
    [5, 8, 1, 3],
    [Infinity, Infinity, 1, 3],
  ]);
  assert.deepEqual([verdict, left, right, measured], ['holds', 5, 8, 3]);
  for (const elements of [
    [[5, 1, 1, 3]],
    [
      [0, 0, 1, 1],
      [NaN, 0, 1, 1],
      [0, 0, 1, 1],
    ],
    [[1, 0, 1, Infinity]],
    [[1, 0, NaN, 1]],
    [[1, 0, 1, NaN]],
    [[1, 0, 0, 0]],
    [[Infinity, -Infinity, 1, 1]],
    [],
  ])
    assert.equal(compare('', elements).verdict, 'violated', JSON.stringify(elements));
  assert.equal(exact('', [1, NaN], [1, NaN]).verdict, 'holds');
  for (const [a, b] of [
    [[1], [2]],
    [[0], [-0]],
    [[1], [1, 2]],
    [[1, 2], [1]],
    [[], []],
  ])
    assert.equal(exact('', a, b).verdict, 'violated', `${a} and ${b}`);
  const wrong = exact('', [9, 1, 3], [9, 2, 4]);
  assert.deepEqual([wrong.left, wrong.right], [1, 2]);
  assert.equal(exact('', [1, -9, 3], [1, -9, 3]).left, -9);
  assert.deepEqual(
    [bounded('', 1, 2), bounded('', 3, 2), bounded('', 1, 2, { cap: 2 }), bounded('', NaN, 2)].map(
      ({ verdict }) => verdict,
    ),
    ['bound', 'violated', 'vacuous', 'violated'],
  );
  const pairs = [
    [1, 2],
    [3, 4],
  ];
  assert.deepEqual([nearestBound('', pairs).left, nearestBound('', pairs).right], [3, 4]);
  for (const wrong of [
    [5, 4],
    [NaN, 4],
    [1, NaN],
  ])
    assert.equal(nearestBound('', [...pairs, wrong, ...pairs]).verdict, 'violated', `${wrong}`);
});
