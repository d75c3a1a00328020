/** The conclusions of the bench from its samples. A verdict that cannot be no says nothing. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { chart } from '../../bench/chart.js';
import { cases } from '../../bench/cases.js';
import { APART, FUSED } from '../../bench/limits/names.js';
import { sharesOf, timesFaster } from '../../bench/measure.js';
import { PARTS } from '../../bench/inspect/variance-parts.js';
import { summary } from '../../bench/report.js';
import { spread } from '../../bench/spread.js';
import { leadOf } from '../../bench/targets/lead.js';
import { targets } from '../../bench/targets.js';

const ENGINE = 'Node';
const [FAST, SAFE] = ['clearhead relaxed', 'clearhead simd'];

/** A row of three equal rounds at that speed, with the share of its time that limits allow. */
function row(name, speed, limits = {}, more = {}) {
  const thrice = (x) => [x, x, x];
  const rounds = Object.fromEntries(
    Object.entries(limits).map(([limit, share]) => [limit, thrice(share)]),
  );
  const rest = {
    role: 'ours',
    engine: ENGINE,
    threads: 1,
    times: [],
    seconds: thrice(1 / speed),
    speed: spread(thrice(speed)),
    milliseconds: spread(thrice(1000 / speed)),
  };
  return { name, limits: rounds, ...rest, ...more };
}
const results = (rows) => ({
  node: { engine: ENGINE },
  browser: {},
  machine: { cpu: 'a processor' },
  cases: rows,
});
const verdicts = (rows, target) =>
  targets(results(rows))
    .filter((line) => line.target === target && line.met !== null)
    .map(({ where, measured, met }) => [where, measured, met]);

test('both builds are compared with fused multiply-adds, or with slower reading', () => {
  const id = 'decode-32-8-4096-64';
  const target = 'decode, of the machine’s limit';
  const where = 'decode GQA 32/8, 1×4096';
  const of = (fused, apart, read) => ({
    [FUSED]: fused,
    [APART]: apart,
    'read as many bytes': read,
  });
  assert.deepEqual(
    verdicts(
      { [id]: [row(FAST, 14.5, of(0.5, 0.6, 0.3)), row(SAFE, 13.5, of(0.47, 0.57, 0.28))] },
      target,
    ),
    [[where, '0.50', false]],
  );
  assert.deepEqual(
    verdicts(
      { [id]: [row(FAST, 14.5, of(0.5, 0.6, 0.55)), row(SAFE, 13.5, of(0.47, 0.57, 0.5))] },
      target,
    ),
    [[where, '0.55', true]],
  );
  assert.deepEqual(sharesOf(row(SAFE, 1, of(0.4, 0.5, 0.1))), [0.5, 0.5, 0.5]);
  assert.deepEqual(
    sharesOf(row(SAFE, 1, { [APART]: 0.5 }), FUSED),
    [0.5, 0.5, 0.5],
    'an engine that cannot fuse',
  );
  assert.deepEqual(
    sharesOf(
      row(
        'clearhead relaxed, 2 threads',
        1,
        { [FUSED]: 0.9, [`${FUSED}, 2 threads`]: 0.4 },
        { threads: 2 },
      ),
    ),
    [0.4, 0.4, 0.4],
  );
});

test('a target is met from its number on; without a measurement it is not judged', () => {
  const id = 'prefill-12-12-512-64';
  for (const [share, met] of [
    [0.74, false],
    [0.75, true],
  ]) {
    const rows = {
      [id]: [
        row(FAST, 40, { [FUSED]: share, [APART]: share }),
        row(SAFE, 30, { [FUSED]: share / 2, [APART]: 0.8 }),
      ],
    };
    assert.deepEqual(verdicts(rows, 'prefill, of the fused limit'), [
      ['prefill H=12, 512×512', share.toFixed(2), met],
    ]);
    assert.deepEqual(verdicts(rows, 'simd, of multiply, then add'), [
      ['prefill H=12, 512×512', '0.80', true],
    ]);
  }
  const lines = targets(results({}));
  assert.ok(lines.length > 40);
  assert.ok(
    lines.every(({ met, measured }) => met === null && measured === 'not measured in this run'),
  );
});

test('a window is judged by the time of a pair, which the limit beside each case measures', () => {
  const at = (n, share) => ({ [`prefill-3-3-${n}-64-w256`]: [row(FAST, 30, { [FUSED]: share })] });
  const judged = (shorter, longer) =>
    verdicts(
      { ...at(2048, shorter), ...at(4096, longer) },
      'window: time follows the pairs seen',
    )[0].slice(1);
  assert.deepEqual(judged(0.66, 0.6), ['1.10', true]);
  assert.deepEqual(judged(0.66, 0.55), ['1.20', false]);
});

test('variants are compared within a turn, peers by rounds, and the fastest peer counts', () => {
  const fast = row(FAST, 40);
  const slow = row(SAFE, 30, {}, { against: FAST, times: [2, 2, 3] });
  assert.equal(timesFaster(slow, fast).median, 2);
  assert.equal(timesFaster(fast, slow).median, 0.5);
  assert.equal(timesFaster(row('a', 40), row('b', 10)).median, 4);
  const peer = (name, speed, engine = ENGINE) => row(name, speed, {}, { role: 'peer', engine });
  assert.equal(leadOf([fast, peer('tfjs', 10), peer('tfjs, K and V constant', 20)]), 2);
  assert.equal(
    leadOf([fast, peer('LiteRT.js', 50, 'Chromium')]),
    null,
    'nothing of ours ran there',
  );
  assert.equal(
    leadOf([fast, row(FAST, 25, {}, { engine: 'Chromium' }), peer('LiteRT.js', 50, 'Chromium')]),
    0.5,
  );
});

test('two threads are compared with the limit of both, and with peers that have two', () => {
  const id = 'prefill-12-12-512-64';
  const engine = 'Chromium, 2 threads';
  const two = (name, speed, more) =>
    row(
      name,
      speed,
      { [FUSED]: 0.9, [`${FUSED}, 2 threads`]: 0.5 },
      { engine, threads: 2, ...more },
    );
  const judged = (ours, peer) =>
    targets({
      ...results({}),
      threads: { [id]: [row(FAST, 40), two(FAST, ours), two('LiteRT.js', peer, { role: 'peer' })] },
    })
      .filter((line) => /^2 threads, /.test(line.target))
      .map(({ measured, met }) => [measured, met]);
  assert.deepEqual(judged(78, 60), [
    ['0.50', false],
    ['1.30', true],
  ]);
  assert.deepEqual(judged(54, 60), [
    ['0.50', false],
    ['0.90', false],
  ]);
});

test('peers with constant keys stand in brackets in the summary, without a bar', () => {
  const id = 'decode-9-3-1024-64';
  const peer = (name, speed) => row(name, speed, {}, { role: 'peer' });
  const shown = results({
    [id]: [
      row(FAST, 24, { [FUSED]: 0.6 }),
      row(SAFE, 21, { [FUSED]: 0.5, [APART]: 0.65 }),
      peer('tfjs', 0.625),
      peer('tfjs, K and V constant', 9.5),
      peer('onnxruntime Attention', 6.5),
    ],
  });
  const line = summary(shown)
    .split('\n')
    .find((text) => text.startsWith('decode GQA 9/3, 1×1024'));
  assert.deepEqual(line.trim().split(/ {2,}/), [
    'decode GQA 9/3, 1×1024',
    '–',
    '–',
    '0.63 (9.50)',
    '6.50',
    '–',
    '21.0',
    '24.0',
    '40.0',
    '0.60',
    '2.5',
    'GB/s',
  ]);
  const picture = chart(shown);
  assert.equal(picture.match(/class="(bar|ours)"/g).length, 3);
  assert.match(picture, /limit 40/);
  assert.doesNotMatch(picture, />9\.5</);
  assert.equal(cases.filter((c) => c.id === id).length, 1);
});

test('the lines that a measurement takes out are in the kernels, once each', () => {
  for (const [name, parts] of Object.entries(PARTS)) {
    const text = readFileSync(new URL(`../../src/c/attention/${name}`, import.meta.url), 'utf8');
    for (const [part] of parts) assert.equal(text.split(part).length, 2, `${name}: ${part}`);
  }
});
