/** How the bench times a step of training, and judges it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pieceTimes, undisturbed } from '../../bench/pieces.js';
import { spread } from '../../bench/spread.js';
import { targets } from '../../bench/targets.js';
import { stepShares, trainingLines } from '../../bench/training.js';

const row = (variant, threads, { best, steady = 0.4, gain = 1 }) => ({
  ...{ variant, threads, tokens: 100 },
  ...{ steady: spread([steady]), peak: spread([0.2]), gain: spread([gain]) },
  seconds: spread([0.5], false),
  undisturbed: best && { seconds: 0.25, share: best },
});

test('training is judged by the simd rows, of one thread and of two', () => {
  const judged = (...training) =>
    targets({ node: { engine: 'Node' }, browser: {}, machine: {}, cases: {}, training })
      .filter(({ target, met }) => /training/.test(target) && met !== null)
      .map(({ measured, met }) => [measured, met]);
  const relaxed = row('relaxed', 1, { best: 0.9, steady: 0.9 });
  const one = row('simd', 1, { best: 0.46, steady: 0.44 });
  const two = row('simd', 2, { steady: 0.8, gain: 1.75 });
  assert.deepEqual(judged(relaxed, one, two), [
    ['0.46', true],
    ['0.44', false],
    ['1.75', true],
  ]);
  assert.deepEqual(judged(relaxed, { variant: 'simd', threads: 1, why: 'no threads' }), []);
});

test('a step is a share of the form with the best mean, and of the fastest call', () => {
  const run = () => 0;
  const forms = [
    { run, calls: 10, seconds: 20 },
    { run, calls: 10, seconds: 5 },
    { run, calls: 4, seconds: 3 },
  ];
  const shares = stepShares(40, { amount: 50, forms, fastest: 0.25 });
  assert.deepEqual(shares, { steady: 0.4, peak: 0.2 });
});

test('a line says each share of a step', () => {
  const lines = trainingLines([
    row('simd', 1, { best: 0.3 }),
    row('simd', 2, { gain: 1.5 }),
    { variant: 'relaxed', threads: 1, why: 'no engine' },
  ]);
  const usual = '500 ms, 200 tokens/s, 0.40 of the steady limit of one thread and 0.20 of its peak';
  assert.deepEqual(lines.split('\n').slice(1), [
    `  simd, 1 thread: ${usual}; undisturbed 250 ms, 0.30 of that peak`,
    `  simd, 2 threads: ${usual}, 1.50 times one thread`,
    '  relaxed, 1 thread: no engine',
    '',
  ]);
});

test('the pieces of a step lie between readings of the clock, which is put back', async () => {
  const { now } = performance;
  const times = await pieceTimes(async () => {
    performance.now();
    performance.now();
  });
  assert.equal(times.length, 3);
  assert.ok(times.every((seconds) => seconds >= 0));
  await assert.rejects(
    pieceTimes(() => Promise.reject(new Error('lost'))),
    /lost/,
  );
  assert.equal(performance.now, now);
  assert.ok(!Object.hasOwn(performance, 'now'));
});

test('a step undisturbed has each stretch of its fastest step', () => {
  const steps = [
    [1, 8, 4, 1],
    [2, 2, 8, 5],
  ];
  assert.equal(undisturbed(steps, 0), 1 + 2 + 4 + 1);
  assert.equal(undisturbed(steps, 3), 4 + 4 + 1);
  assert.equal(undisturbed(steps, 5), 12 + 1);
  assert.equal(undisturbed(steps, 100), 14);
  assert.throws(() => undisturbed([[1, 2], [1]], 0), /the steps do not have the same pieces/);
});
