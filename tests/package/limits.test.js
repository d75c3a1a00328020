/** The limits of the bench are limits, or the run says which of them was passed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaints, passedLimits } from '../../bench/limits/check.js';
import { finalists } from '../../bench/limits/forms.js';
import { share } from '../../bench/limits/limits.js';
import { APART, DOTS, FUSED, READ, onThreads } from '../../bench/limits/names.js';

const PREFILL = 'prefill-12-12-512-64';
const DECODE = 'decode-9-3-1024-64';

/** A row with the share of its time that each limit needs, by round. */
const row = (name, limits, more = {}) => {
  const rounds = Math.max(...Object.values(limits).map((shares) => shares.length));
  const seconds = Array(rounds).fill(1);
  return { name, role: 'ours', engine: 'Node', threads: 1, seconds, limits, ...more };
};
const passed = (...rows) =>
  passedLimits({ cases: { [PREFILL]: rows } }).map(({ name, round, limit }) => [
    name,
    round,
    limit,
  ]);

test('a contender that is faster than the limit of its round is an error that names both', () => {
  const rows = [row('clearhead relaxed', { [FUSED]: [0.9, 1.02, 1], [APART]: [1.2, 1.3, 1.2] })];
  const all = passedLimits({ cases: { [PREFILL]: rows } });
  assert.deepEqual(complaints(all), [
    'prefill H=12, 512×512, round 2: the limit “fused multiply-add” is too low, ' +
      'for clearhead relaxed (Node) reached 1.020 of it',
  ]);
});

test('a build whose products are apart is compared with that limit only', () => {
  const limits = { [FUSED]: [0.7], [APART]: [1.01] };
  assert.deepEqual(passed(row('clearhead simd', limits)), [['clearhead simd', 1, APART]]);
  assert.deepEqual(passed(row('clearhead relaxed', limits)), []);
});

test('a peer passes a limit only if it is faster than each way to multiply', () => {
  const peer = (fused, apart) =>
    row('LiteRT.js', { [FUSED]: [fused], [APART]: [apart] }, { role: 'peer' });
  assert.deepEqual(passed(peer(0.8, 1.1)), []);
  assert.deepEqual(passed(peer(1.05, 1.1)), [['LiteRT.js', 1, FUSED]]);
});

test('a row that multiplies integers may pass floats, but not its dots', () => {
  const bytes = (dots) =>
    row('clearhead, int8', { [FUSED]: [1.4], [DOTS[0]]: [dots] }, { integers: true });
  assert.deepEqual(passed(bytes(0.5)), []);
  assert.deepEqual(passed(bytes(1.1)), [['clearhead, int8', 1, DOTS[0]]]);
});

test('decoding may pass neither the multiply-adds nor the reading', () => {
  const decode = (fused, read) =>
    passedLimits({
      cases: { [DECODE]: [row('clearhead relaxed', { [FUSED]: [fused], [READ]: [read] })] },
    }).map(({ limit }) => limit);
  assert.deepEqual(decode(0.6, 0.7), []);
  assert.deepEqual(decode(0.6, 1.1), [READ]);
  assert.deepEqual(decode(1.2, 0.7), [FUSED]);
});

test('two threads are compared with the limit of two', () => {
  const limits = { [FUSED]: [1.7], [onThreads(FUSED, 2)]: [1.01] };
  const two = row('clearhead relaxed', limits, { threads: 2 });
  const all = passedLimits({ cases: {}, threads: { [PREFILL]: [two] } });
  assert.deepEqual(
    all.map(({ limit }) => limit),
    [onThreads(FUSED, 2)],
  );
  assert.deepEqual(passed(row('clearhead relaxed', { [FUSED]: [1.7] }, { threads: 2 })), []);
});

test('a limit itself, and a contender that failed, pass nothing', () => {
  const limits = { [FUSED]: [2] };
  assert.deepEqual(passed(row(FUSED, limits, { role: 'limit' })), []);
  assert.deepEqual(passed(row('clearhead relaxed', limits, { why: 'failed when repeated' })), []);
});

test('the fastest forms of a limit run on, in whatever order they came', async () => {
  const seconds = { a: 0.004, b: 0.001, c: 0.003, d: 0.002, e: 0.005 };
  const forms = Object.keys(seconds).map((name) => ({ name, run: () => 0 }));
  const time = async ({ name }) => seconds[name];
  const chosen = await finalists(forms, time, 0);
  assert.deepEqual(
    chosen.map(({ name, each }) => [name, each]),
    [
      ['b', 0.001],
      ['d', 0.002],
      ['c', 0.003],
    ],
  );
});

test('threads share the calls of a limit until none remains', () => {
  const remaining = Int32Array.of(5);
  const calls = [[], []];
  const first = (form) => {
    calls[0].push(form);
    if (calls[0].length === 2) share((name) => calls[1].push(name), form, remaining);
    return 1;
  };
  assert.equal(share(first, 'madd_tile_6x2_1', remaining), 2);
  assert.deepEqual(
    calls.map(({ length }) => length),
    [2, 3],
  );
});
