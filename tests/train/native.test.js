/**
 * Gradients of attention built natively, in memory of exactly its size: under sanitizers, of which
 * one watches three threads, and under gcc. They have the bits of the simd module. A long run has
 * MSan too.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sameArray } from '../support/bits.js';
import { repeats } from '../support/campaign.js';
import { engines } from '../support/models/engines.js';
import { answerOf, Stream } from '../support/stream.js';
import { randomGradient, wantsOf } from '../support/train/calls.js';

const CASES = 150;
const { ch } = engines[0];
const path = (program) => fileURLToPath(new URL(`../../build/native/${program}`, import.meta.url));

/** Writes a call to the stream; returns what the simd module gives for it. */
function write(stream, seed) {
  const Type = seed % 4 ? Float32Array : Float64Array;
  const { c, q, k, v, dOutput, options } = randomGradient(seed, Type);
  const { m, n } = c.shape;
  if (seed % 5 === 0) k.fill(NaN, 0, c.shape.d); // of one key
  const { dKeyScale, dSinks, dBias } = wantsOf(options);
  const forward = seed % 2 ? ch.attention(q, k, v, { ...options, want: { lse: true } }) : undefined;
  stream
    .tag('D')
    .int(Number(Type === Float64Array))
    .options(options, m, n, {}, seed & 1);
  stream.array(q).array(k).array(v).array(dOutput);
  if (forward) stream.int(1).array(forward.output).array(forward.lse);
  else stream.int(0);
  stream.int(Number(dKeyScale), Number(dSinks), dBias ? options.mask.data.length : -1);
  const want = { dKeyScale, dSinks, dBias, dScale: true, dTemperature: true };
  const { output, lse } = forward ?? {};
  const result = ch.attentionGradient(q, k, v, dOutput, { ...options, output, lse, want });
  return { name: c.name, heads: c.shape.heads, result };
}

/** An array whose NaN are all the same: a sign of theirs means nothing. */
const plain = (array) => array.map((x) => (Number.isNaN(x) ? NaN : x));

/** The sum of the parts of all heads, as JavaScript adds them. */
const total = (parts) => parts.reduce((sum, x) => sum + x, 0);

const daily = ['asan', 'tsan', 'gcc'];

for (const program of repeats(daily, [...daily, 'msan']))
  test(`gradients of ${CASES} random calls have the bits of simd: ${program}`, async () => {
    const stream = new Stream();
    const expected = Array.from({ length: CASES }, (_, x) => write(stream, 700000 + x));
    const answer = await answerOf(path(`native_cases_${program}`), stream);
    for (const { name, heads, result } of expected) {
      for (const key of ['dq', 'dk', 'dv', 'dKeyScale', 'dSinks', 'dBias']) {
        const want = result[key];
        if (want)
          sameArray(plain(answer.nextArray(want.constructor, want.length)), plain(want), name);
      }
      for (const key of ['dScale', 'dTemperature']) {
        const got = total(answer.nextArray(Float64Array, heads));
        assert.ok(Object.is(got, result[key]), `${name}: ${key} is ${got}, not ${result[key]}`);
      }
    }
    assert.equal(answer.rest, 0);
  });
