/**
 * The shipped C, built natively: the table of cases under sanitizers and gcc, with the bits of the
 * simd module; and exp, log and tanh against the C library. `scripts/build.sh native` builds the
 * programs. A long run has more of them, and the thread sanitizer watches all.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sameArray, sameBits } from '../support/bits.js';
import { build, cases, randomCase } from '../support/cases.js';
import { engines } from '../support/engines.js';
import { repeats } from '../support/campaign.js';
import { history } from '../support/histories.js';
import { fill, random } from '../support/random.js';
import { Stream, answerOf as answer } from '../support/stream.js';

const path = (name) => fileURLToPath(new URL(`../../build/native/${name}`, import.meta.url));
const { ch } = engines[0];
const POISONED = repeats(400, 4000);
const HISTORIES = repeats(200, 2000);
const statements = await ch.theory;
const answerOf = (program, stream) => answer(path(program), stream);

const wants = [
  {},
  { weights: true, scores: 'raw', lse: true, stats: true },
  { scores: 'capped', lse: true, stats: true },
  { weights: true, scores: 'masked' },
];

/** The keys in three parts, as spans that follow one another. */
const thirds = (n) =>
  n < 3 ? undefined : [0, 1, 2].map((x) => [x, x + 1].map((y) => Math.floor((y * n) / 3)));

/**
 * Every case, as a bare call and with something else returned; some with chosen heads and rows.
 * Then all of them in integers.
 */
function* calls() {
  for (const [x, c] of cases.entries())
    for (const [Type, precision] of [[Float32Array], [Float64Array], [Float32Array, 'int8']]) {
      const { heads, m, n } = c.shape;
      const call = build(c, Type);
      call.options.precision = precision;
      yield { name: c.name, call, m, n, want: {}, shift: x & 1 };
      const rows = [...Array(m).keys()].filter((i) => i % 3 === 0).reverse();
      const chosen = { heads: [heads - 1], rows };
      yield {
        name: c.name,
        call,
        m,
        n,
        want: {
          ...(x % 5 || m === 0 ? wants[1 + (x % 3)] : { weights: chosen, lse: true, stats: true }),
          ...(x % 2 && { spans: thirds(n) }),
        },
        shift: ~x & 1,
      };
    }
}

/** Random cases whose masked keys and values are NaN: the paths that must step around them. */
function* poisoned(count) {
  for (let seed = 1; seed <= count; seed++) {
    const c = randomCase(400000 + seed);
    const { m, n, d, dv } = c.shape;
    const r = random(seed);
    const call = build(c, seed % 2 ? Float32Array : Float64Array, 'bhsd');
    const data = Uint8Array.from({ length: n }, () => r.integer(0, 2));
    data.forEach((on, j) => {
      if (on) return;
      for (let at = j; at * d < call.k.length; at += n) call.k.fill(NaN, at * d, (at + 1) * d);
      for (let at = j; at * dv < call.v.length; at += n) call.v.fill(NaN, at * dv, (at + 1) * dv);
    });
    call.options.mask = { data, shape: [n] };
    if (seed % 4 === 1) call.options.precision = 'int8';
    yield {
      name: `${c.name}, NaN under the mask`,
      call,
      m,
      n,
      want: {
        ...(seed % 3 === 0 && { weights: true, scores: 'masked', lse: true, stats: true }),
        ...(seed % 2 && { spans: thirds(n) }),
      },
      shift: seed & 1,
    };
  }
}

// _unsigned and _signed have 8-bit dot products, named after their second operand. Their integers
// must be those of 16 bits. _six does as many rows at a time as the relaxed kernels: the bits must
// not depend on it
const daily = ['asan', 'tsan', 'gcc', 'unsigned', 'signed'];
const programs = repeats(daily, [...daily, 'msan', 'six']).map((name) => `native_cases_${name}`);

/** The thread sanitizer is slow: it watches one of this number of calls and histories. */
const ONE_OF = repeats(4, 1);
/** @template T @param {string} program @param {T[]} list */
const some = (program, list) =>
  /tsan/.test(program) ? list.filter((_, at) => at % ONE_OF === 0) : list;

/** All of these with the results of the simd module, which every program must give. */
let known;
const knownCalls = () =>
  (known ??= [...calls(), ...poisoned(POISONED)].map((each) => {
    const { q, k, v, options } = each.call;
    return { ...each, result: ch.attention(q, k, v, { ...options, want: each.want }) };
  }));

for (const program of programs)
  test(`every case has the bits of the simd module: ${program}`, async (t) => {
    assert.ok(existsSync(path(program)), `${path(program)} is missing: scripts/build.sh native`);
    const stream = new Stream();
    const all = some(program, knownCalls());
    const list = /signed/.test(program)
      ? all.filter(({ call }) => call.options.precision === 'int8')
      : all;
    for (const { call, m, n, want, shift } of list) stream.call(call, { m, n }, want, shift);
    const answer = await answerOf(program, stream);
    for (const { name, result } of list) {
      assert.equal(answer.int(), 0, `${name}: status`);
      sameBits(answer.result(result), result, name);
    }
    assert.equal(answer.rest, 0);
    t.diagnostic(`${list.length} calls`);
  });

for (const program of programs)
  test(`histories of a cache have the bits of the simd module: ${program}`, async (t) => {
    const stream = new Stream();
    const seeds = some(
      program,
      Array.from({ length: HISTORIES }, (_, at) => at + 1),
    );
    const expected = seeds.flatMap((seed) =>
      history(ch, seed, stream).map((check) => [seed, check]),
    );
    const answer = await answerOf(program, stream);
    for (const [seed, check] of expected) {
      try {
        check(answer);
      } catch (error) {
        error.message = `history ${seed}: ${error.message}`;
        throw error;
      }
    }
    assert.equal(answer.rest, 0);
    t.diagnostic(`${seeds.length} histories, with damaged snapshots that are refused`);
  });

/** Calls of the Gaussian view, which are written to the stream, with their results in wasm. */
function gaussianCalls(stream) {
  const sizes = [
    [1, 1, 1, 1],
    [32, 32, 64, 16],
    [3, 70, 5, 7],
    [9, 4, 33, 3],
  ];
  const temperatures = [
    [1, false],
    [0.3, true],
  ];
  const calls = sizes.flatMap((size) =>
    [Float32Array, Float64Array].flatMap((Type) =>
      temperatures.map((temperature) => [...size, Type, ...temperature]),
    ),
  );
  return calls.map(([m, n, d, dv, Type, temperature, restoreKeyNorm]) => {
    const shape = { batch: 1, heads: 1, kvHeads: 1, m, n, d, dv };
    const { q, k, v } = fill('normal', random(n), shape, 1, Type);
    const options = { headDim: d, valueDim: dv, temperature, restoreKeyNorm };
    stream
      .tag('G')
      .int(Number(Type === Float64Array), m, n, d, dv, Number(restoreKeyNorm))
      .double(temperature)
      .array(q)
      .array(k)
      .array(v);
    return {
      name: `m = ${m}, n = ${n}, d = ${d}, ${Type.name}`,
      gaussian: statements.gaussianWeights(q, k, v, options),
      difference: statements.kernelEquivalence(q, k, v, options),
    };
  });
}

/** The numbers of a report in the order in which C gives them. */
const reported = ({ weights, output }) =>
  Float64Array.from(
    [weights, output].flatMap((side) =>
      ['max', 'frobenius', 'allowed', 'allowedFrobenius', 'ratio'].map((part) => side[part]),
    ),
  );

for (const program of ['native_cases_asan', 'native_cases_gcc'])
  test(`the Gaussian view has the bits of the simd module: ${program}`, async () => {
    const stream = new Stream();
    const expected = gaussianCalls(stream);
    const answer = await answerOf(program, stream);
    for (const { name, gaussian, difference } of expected) {
      const { weights, output } = gaussian;
      const got = {
        weights: answer.nextArray(weights.constructor, weights.length),
        output: answer.nextArray(output.constructor, output.length),
      };
      sameBits(got, { weights, output }, name);
      sameArray(answer.nextArray(Float64Array, 10), reported(difference), name);
    }
    assert.equal(answer.rest, 0);
  });

const SHARE = repeats('an eighth of all', 'all');

for (const program of ['native_exp', 'native_exp_fused'])
  test(
    `exp, tanh and log keep their stated errors over ${SHARE} floats: ${program}`,
    {
      skip:
        program === 'native_exp_fused' &&
        !existsSync(path(program)) &&
        'this processor has no fused multiply-add',
    },
    async (t) => {
      const { stdout } = await promisify(execFile)(path(program), [repeats('8', '1')]).catch(
        (error) => {
          throw new Error(`${error.message}\n${error.stdout}`);
        },
      );
      for (const line of stdout.trim().split('\n')) t.diagnostic(line);
    },
  );
