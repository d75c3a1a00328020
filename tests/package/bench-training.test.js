/** How the bench times a step of training, and judges it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spread } from '../../bench/spread.js';
import { targets } from '../../bench/targets.js';
import { stepShares, trainingLines } from '../../bench/training.js';
import { fastestStretches, intervalsOf, undisturbedStep } from '../../bench/undisturbed.js';

const row = (variant, threads, { share, steps = 30, gain = 1 }) => ({
  ...{ variant, threads, tokens: 100 },
  ...{ steady: spread([0.4]), peak: spread([0.2]), gain: spread([gain]) },
  seconds: spread([0.5], false),
  undisturbed: share && { seconds: 0.25, share, steps, whole: 0.28 },
});

test('training is judged by the simd rows: undisturbed on one thread, and with two', () => {
  const judged = (...training) =>
    targets({ node: { engine: 'Node' }, browser: {}, machine: {}, cases: {}, training })
      .filter(({ target, met }) => /training/.test(target) && met !== null)
      .map(({ measured, met }) => [measured, met]);
  const relaxed = row('relaxed', 1, { share: 0.9 });
  const two = (gain) => row('simd', 2, { gain });
  const one = (share, steps) => row('simd', 1, { share, steps });
  assert.deepEqual(judged(relaxed, one(0.46), two(1.69)), [
    ['0.46', true],
    ['1.69', false],
  ]);
  assert.deepEqual(judged(relaxed, one(0.44), two(1.75)), [
    ['0.44', false],
    ['1.75', true],
  ]);
  assert.deepEqual(judged(one(0.46, 29), two(1.75)), [['1.75', true]]);
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

test('the lines say each share of a step', () => {
  const lines = trainingLines([
    row('simd', 1, { share: 0.3 }),
    row('simd', 2, { gain: 1.5 }),
    { variant: 'relaxed', threads: 1, why: 'no engine' },
  ]);
  const usual = '500 ms, 200 tokens/s, 0.40 of the steady limit of one thread and 0.20 of its peak';
  assert.deepEqual(lines.split('\n').slice(1), [
    `  simd, 1 thread: ${usual}.`,
    '    Undisturbed: 250 ms, 0.30 of the fastest call of 30 rounds; the fastest whole step 0.28',
    `  simd, 2 threads: ${usual}, 1.50 times one thread`,
    '  relaxed, 1 thread: no engine',
    '',
  ]);
});

test('the intervals between readings of the clock make up the whole step', async () => {
  const clock = [1000, 3000, 3500, 7500];
  const fake = () => clock.shift();
  const { now } = performance;
  performance.now = fake;
  try {
    const intervals = await intervalsOf(async () => {
      performance.now();
      performance.now();
    });
    assert.deepEqual(intervals, [2, 0.5, 4]);
    clock.push(1);
    await assert.rejects(
      intervalsOf(() => Promise.reject(new Error('lost'))),
      /lost/,
    );
    assert.equal(performance.now, fake);
  } finally {
    performance.now = now;
  }
});

test('a stretch is as long as asked, and counts in the step where it was fastest', () => {
  const steps = [
    [1, 8, 4, 1],
    [2, 2, 8, 5],
  ];
  assert.deepEqual(fastestStretches(steps, 0), [1, 2, 4, 1]);
  assert.deepEqual(fastestStretches(steps, 3), [4, 4, 1]);
  assert.deepEqual(fastestStretches(steps, 5), [12, 1]);
  assert.deepEqual(fastestStretches(steps, 100), [14]);
});

test('an undisturbed step is a share of the fastest call of the limit', () => {
  const seconds = (value) => new Array(1000).fill(value);
  const half = [...new Array(500).fill(1), ...new Array(500).fill(4)];
  // a call of the limit: 6 operations in 2 s, and a step: 9000 operations
  const of = (...steps) => undisturbedStep(steps, 9000, { amount: 6, fastest: 2 });
  const step = of(seconds(3), half, half.toReversed());
  // all stretches are two intervals of 1 s
  assert.deepEqual(step, {
    ...{ seconds: 1000, share: 3, whole: 1.2, shares: [1, 1.5, 3], steps: 3 },
    ...{ stretches: 500, longest: 2, limit: { seconds: 2, speed: 3 } },
  });
  assert.equal(of(seconds(3), [...seconds(1), 0], seconds(3)).seconds, 3000);
  assert.throws(() => of([1, 2], [1, 2]), /a step has 2 readings of the clock/);
});
