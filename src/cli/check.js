import { readFile } from 'node:fs/promises';
import { ClearheadError, init } from '../js/index.js';
import { SIZES, TEMPERATURE, lab } from './lab.js';
import { examine } from './statements.js';
import { equivalence } from './statements/kernels.js';

export const usage = `  clearhead check [--all] [--json] [--variant simd|relaxed] [--seed N]
                  [--wasm FILE] [--theory-wasm FILE]
      Runs the statements behind attention. It compares the two sides of each,
      which are computed apart, and shows their difference, and the difference
      that rounding allows. Exit status 1 if a statement is violated. Beside
      statement 6, the kernel equivalence, stand the figures that the source of
      the identity published for its own data.
        --all                    shows every comparison, with the values of its
                                 two sides
        --json                   one object instead of the table
        --variant simd|relaxed   the kernels to check; default those that the
                                 machine can run
        --seed N                 of the random inputs
        --wasm, --theory-wasm    check other builds of model.*.wasm and
                                 theory.wasm`;

export const options = {
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  variant: { type: 'string' },
  seed: { type: 'string', default: '1' },
  wasm: { type: 'string' },
  'theory-wasm': { type: 'string' },
};

/**
 * The figures printed in the note that states the kernel equivalence (README, Sources), for
 * float64.
 */
const REFERENCE = {
  sigma2: 8,
  weights: { max: 1.39e-17, frobenius: 1.22e-16 },
  output: { max: 1.66e-16, frobenius: 8.29e-16 },
};

/** @typedef {import('./lab.js').Part} Part @typedef {'float64' | 'float32'} DType */

/**
 * @param {{ all?: boolean, json?: boolean, variant?: any, seed: string, wasm?: string,
 *   'theory-wasm'?: string }} given
 * @returns {Promise<number>} exit status
 */
export async function run({ all, json, variant, seed, wasm, 'theory-wasm': theoryWasm }) {
  if (!/^\d{1,9}$/.test(seed))
    throw new ClearheadError('ARG', `--seed is "${seed}"; expected a whole number`);
  if (variant !== undefined && !/^(simd|relaxed)$/.test(variant))
    throw new ClearheadError('ARG', `--variant is "${variant}"; expected simd or relaxed`);
  const ch = await init({
    layers: true,
    ...(variant && { variant }),
    ...(wasm !== undefined && { wasm: await read('--wasm', wasm) }),
    ...(theoryWasm !== undefined && { theoryWasm: await read('--theory-wasm', theoryWasm) }),
  });
  const head = await lab(ch, +seed);
  const statements = examine(head);
  const detail = /** @type {DType[]} */ (['float64', 'float32']).map((type) =>
    equivalence(head, type),
  );
  const report = {
    holds: statements.every(({ holds }) => holds),
    variant: ch.info.variant,
    why: ch.info.why,
    seed: +seed,
    sizes: { ...SIZES, temperatureElsewhere: TEMPERATURE },
    statements,
    equivalence: detail,
    reference: REFERENCE,
  };
  console.log(json ? JSON.stringify(report, null, 2) : inWords(report, all ?? false));
  return report.holds ? 0 : 1;
}

/** The bytes of a file that an option names. @param {string} option @param {string} file */
const read = (option, file) =>
  readFile(file).catch((/** @type {any} */ cause) => {
    throw new ClearheadError(
      'ARG',
      `${option} is "${file}"; expected a file that can be read (${cause.code})`,
      { cause },
    );
  });

const WORDS = { holds: '✓ holds', bound: '✓ bound', vacuous: '◌ vacuous', violated: '✗ VIOLATED' };

/** A number in at most seven places. @param {number} x */
const short = (x) =>
  x === 0 || !Number.isFinite(x)
    ? String(x)
    : x >= 1e5 || x < 1e-3
      ? x.toExponential(1)
      : x >= 99.5
        ? x.toFixed(0)
        : x.toPrecision(2);

/** Columns of the two sides, beside which the numbers stand. */
const WIDTH = 44;

/** The comparison in one line, or in two if its sides are long. @param {Part} part */
function line({ sides, kind, measured, allowed, unit, verdict }, width = WIDTH) {
  const number = (/** @type {number} */ x) =>
    kind === 'bound' || allowed === 0 ? short(x) : `${short(x)} ${unit}`;
  const word = verdict === 'holds' && allowed === 0 ? '✓ exact' : WORDS[verdict];
  const slack = verdict === 'bound' ? ` ${short(allowed / measured)}×` : '';
  const numbers = `${number(measured).padStart(7)} ${number(allowed).padStart(8)}`;
  const padded = sides.length > width ? `${sides}\n     ${' '.repeat(width)}` : sides.padEnd(width);
  return `${padded} ${numbers}  ${word}${slack}`;
}

/** The two numbers that come nearest to the limit. @param {Part} part */
const values = ({ left, right }) => `       left ${left}, right ${right}`;

const digits = (/** @type {number} */ x) => x.toExponential(2).padStart(9);

/** The table of statement 6. @param {any[]} detail */
function equivalenceTable([f64, f32]) {
  const allowed = (/** @type {any} */ side, /** @type {string} */ part) =>
    part === 'max' ? side.allowed : side.allowedFrobenius;
  /** @param {string} name @param {'weights' | 'output'} of @param {'max' | 'frobenius'} part */
  const row = (name, of, part) => {
    const double = [f64[of][part], REFERENCE[of][part], allowed(f64[of], part)];
    const single = [f32[of][part], allowed(f32[of], part)];
    return `      ${name.padEnd(9)} ${[...double, ...single].map(digits).join('   ')}`;
  };
  return [
    'Statement 6 as the note runs it: T = 1, rows of length 1, ' +
      `σ² = ${f64.sigma2} (published: ${REFERENCE.sigma2})`,
    '                  float64   published     allowed     float32     allowed',
    row('max|ΔW|', 'weights', 'max'),
    row('‖ΔW‖_F', 'weights', 'frobenius'),
    row('max|ΔO|', 'output', 'max'),
    row('‖ΔO‖_F', 'output', 'frobenius'),
  ].join('\n');
}

/** @param {any} report @param {boolean} all */
function inWords({ holds, variant, why, seed, statements, equivalence }, all) {
  const { m, n, d, dv } = SIZES;
  const rows = [];
  for (const { number, name, words, formula, source, worst, parts } of statements) {
    rows.push(`${String(number).padStart(3)}  ${name}: ${words}`);
    const sides = worst.verdict === 'violated' ? worst.sides : formula;
    if (all)
      rows.push(
        `     ${formula}`,
        `     source: ${source}`,
        ...parts.flatMap((/** @type {Part} */ part) => [`     ${line(part)}`, values(part)]),
        '',
      );
    else rows.push(`     ${line({ ...worst, sides })}`);
  }
  const twelve = statements
    .find((/** @type {any} */ s) => s.number === 12)
    .parts.filter((/** @type {Part} */ { cap }) => cap !== undefined);
  const vacuous = twelve.filter((/** @type {Part} */ { verdict }) => verdict === 'vacuous').length;
  const violated = statements.filter((/** @type {any} */ s) => !s.holds);
  const names = violated.map((/** @type {any} */ s) => `${s.number} ${s.name}`).join(', ');
  const verdict = holds
    ? `All ${statements.length} statements hold`
    : `NOT all statements hold: ${names}`;
  const bounds =
    `; ${vacuous} of statement 12's ${twelve.length} bounds ` +
    `${vacuous === 1 ? 'is' : 'are'} vacuous`;
  return [
    `clearhead check: ${variant} kernels${why && ` (${why})`}, seed ${seed}`,
    `m = ${m} queries, n = ${n} keys, d = ${d}, dv = ${dv}, T = ${TEMPERATURE}.`,
    'In formulas z are logits, p = softmax(z/T), u is uniform, and β = 1/T.',
    'In numbers u is 2^-53 at the size of the terms, and σ a standard error.',
    all
      ? 'Paper, post and note are the three sources that the README lists.'
      : '--all shows every comparison of a statement and where it comes from.',
    '',
    `     ${'two sides, computed apart'.padEnd(WIDTH)}  off by  allowed`,
    ...rows,
    ...(all ? [] : ['']),
    equivalenceTable(equivalence),
    '',
    ...(all
      ? []
      : [
          'Statement 12, keys moved by a tenth: the change, its bound, their ratio',
          ...twelve.map((/** @type {Part} */ part) => `      ${line(part, 42)}`),
          '',
        ]),
    `${verdict}${vacuous ? bounds : ''}.`,
  ].join('\n');
}
