/**
 * How fast here. One pass over the keys is compared with the reference, the library and the source
 * of the kernel. Then come the three ways that are timed.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import {
  follow,
  inputs,
  merge,
  N,
  resultsOf,
  SPAN,
  spanOf,
} from '../../../web/panels/speed/fused-compute.js';
import { STEPS } from '../../../web/panels/speed/state.js';
import { D } from '../../../web/panels/speed/ways.js';
import { reference } from '../../support/reference.js';
import { becomes } from '../../support/web/becomes.js';
import { startAndStop } from '../../support/web/start-and-stop.js';
import { chooser } from '../recompute.js';
import { close, drawn, go, launch, missing, opened, settled } from '../site.js';

const NAMES = ['lse', 'entropy', 'kl', 'expectedScore', 'variance'];

/** The results of the tests' own reference. */
function expected({ q, k, v }) {
  const { output, lse, stats } = reference(
    Float64Array.from(q),
    Float64Array.from(k),
    Float64Array.from(v),
    { headDim: D, valueDim: D },
  );
  return {
    lse: lse[0],
    entropy: stats.entropy[0],
    kl: stats.kl[0],
    expectedScore: stats.expectedScore[0],
    variance: stats.variance[0],
    output,
  };
}

describe('the fused pass, span by span', () => {
  let engine;
  let found;
  before(async () => {
    engine = await init();
    found = follow(engine);
  });

  test('ends in the results of the reference and of the library', () => {
    const right = expected(inputs());
    for (const name of NAMES) {
      close(found.here[name], right[name], 1e-12, name);
      close(found.double[name], right[name], 1e-12, `${name} of the library`);
      close(found.single[name], right[name], 1e-5, `${name} of the fused pass`);
    }
    right.output.forEach((x, c) => close(found.here.output[c], x, 0, `output ${c}`, 1e-13));
    for (const { ratio, measured } of [found.float64, found.float32])
      assert.ok(ratio <= 1 && measured > 0, `${ratio}`);
  });

  test('is not that of a library whose statistics are off', () => {
    const off = {
      attention: (...given) => {
        const { stats, ...rest } = engine.attention(...given);
        return { ...rest, stats: { ...stats, kl: stats.kl.map((x) => 1.01 * x) } };
      },
    };
    const { float64, float32 } = follow(off);
    assert.ok(float64.ratio > 1 && float32.ratio > 1);
  });

  test('has a span that raises the maximum, and one that does not', () => {
    const later = found.steps.slice(1).map(({ sums }) => sums);
    assert.equal(found.steps.length, STEPS);
    assert.ok(later.some(({ old, own }) => old < 1 && own === 1));
    assert.ok(later.some(({ old, own }) => old === 1 && own < 1));
  });

  test('gives the same wherever the keys are cut', () => {
    const random = chooser(5);
    const { v } = inputs();
    const whole = resultsOf(spanOf(found.z, v, 0, N), N);
    for (let round = 0; round < 5; round++) {
      let to = random.integer(1, 100);
      let sums = spanOf(found.z, v, 0, to);
      while (to < N) {
        const from = to;
        to = Math.min(N, from + random.integer(1, 900));
        sums = merge(sums, spanOf(found.z, v, from, to));
      }
      const cut = resultsOf(sums, N);
      for (const name of NAMES) close(cut[name], whole[name], 1e-12, name);
      cut.output.forEach((x, c) => close(x, whole.output[c], 0, `output ${c}`, 1e-13));
    }
  });

  test('says the sizes of the kernel', async () => {
    const read = (path) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
    const files = ['attention/tiles.h', 'attention/kernel.h', 'base/simd.h'];
    const source = (await Promise.all(files.map((file) => read(`src/c/${file}`)))).join();
    const size = (name) => Number(new RegExp(`\\b${name} = (\\d+)`).exec(source)[1]);
    assert.equal(size('SPAN'), SPAN);
    const words = await read('web/panels/speed/fused-words.js');
    assert.ok(words.includes(`blocks of ${size('BLOCK')} keys`));
    const spelled = { 16: 'sixteen', 5: 'five' };
    // the page has the kernels without relaxed SIMD
    const [, rows] = /V_ROWS \(V_RELAXED \? \d+ : (\d+)\)/.exec(source);
    assert.ok(words.includes(`${spelled[size('KEY_STEP')]} chains`));
    assert.ok(words.includes(`Up to ${spelled[rows]} queries`));
  });
});

describe('the fused pass in the page', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['speed'] });

  /** In the page: its tables and its words. */
  const shown = () =>
    page.evaluate(() => {
      const [spans, results] = document.querySelectorAll('.fused');
      const numbers = (row) =>
        [...row.querySelectorAll('[data-value]')].map(({ dataset }) => Number(dataset.value));
      const rows = [...spans.querySelectorAll('tbody tr')];
      const lines = (path) =>
        document.querySelector(`.fused-scores ${path}`).getAttribute('d').split('M').length - 1;
      return {
        spans: rows.map(numbers),
        current: rows.findIndex((row) => row.getAttribute('aria-current') === 'step'),
        results: [...results.querySelectorAll('tbody tr')].map(numbers),
        said: document.querySelector('.fused-pass .sentence').textContent,
        back: document.querySelector('.fused-pass button').disabled,
        read: lines('.fused-line:not(.fused-unread)'),
        unread: lines('.fused-unread'),
      };
    });

  test('begins at the first span, with the others pale', async () => {
    const { current, said, back, read, unread } = await shown();
    assert.equal(current, 0);
    assert.ok(back, 'nothing is before the first');
    assert.match(said, /^The first span is read: keys 1 to 512\..*“next span”/);
    assert.ok(Math.abs(read / (read + unread) - 1 / STEPS) < 0.01, `${read} and ${unread} lines`);
  });

  test('says what a span is where it names one first', async () => {
    const words = await page.locator('#speed').innerText();
    assert.match(words, /^(?:(?!\bspan).)*512 keys at a time, called a span/is);
    assert.doesNotMatch(words, /\bfused\b|\bapart\b/i);
  });

  test('is complete without a click, and equals the library', async () => {
    const { steps, here, double, single } = follow(await init({ variant: 'simd' }));
    const { spans, results } = await shown();
    steps.forEach(({ span, sums }, i) => {
      const old = i ? [sums.old] : [];
      const right = [span.max, sums.max, ...old, sums.own, sums.sum, sums.moment];
      right.forEach((x, at) => close(spans[i][at], x, 1e-14, `span ${i}, number ${at}`));
    });
    const outputs = [0, 1].map((c) => [here, double, single].map(({ output }) => output[c]));
    const rows = [...outputs, ...NAMES.map((name) => [here[name], double[name], single[name]])];
    rows.forEach(([a, b, c], i) => {
      const [x, y, apart, z, far] = results[i];
      close(x, a, 1e-13, `result ${i}`);
      close(y, b, 1e-13, `result ${i} of the library`);
      assert.equal(z, c, `result ${i} of the fused pass`);
      assert.equal(apart, Math.abs(x - y));
      assert.equal(far, Math.abs(x - z));
    });
  });

  test('goes from span to span and back, with the span in the link', async () => {
    const press = async (name) => {
      await page.locator('.fused-pass button', { hasText: name }).click();
      await drawn(page);
      return (await shown()).current;
    };
    assert.equal(await press('next span'), 1);
    assert.match((await shown()).said, /^Keys 513 to 1024 have no larger score/);
    await becomes(() => page.evaluate(() => location.hash), '#speed?v=1&fusedStep=2');
    assert.equal(await press('back'), 0);
    assert.equal(
      await page.evaluate(() => document.activeElement.textContent),
      'next span',
      'the focus is not lost',
    );
    await go(page, '#speed?v=1&fusedStep=3');
    assert.equal((await shown()).current, 2);
    assert.equal(await press('next span'), 3);
    const { said, unread } = await shown();
    assert.match(said, /last key/);
    assert.equal(unread, 0);
    assert.equal(await press('from the first span'), 0);
  });

  test('a measurement follows an equality, stops at once, and leaves what it has', async () => {
    const said = () => page.locator('.speed-said').textContent();
    const times = () => page.evaluate('shownTimes()');
    /** In the page: asks for these numbers of words, and gives the times on show. */
    const choose = (...words) =>
      page.evaluate((words) => {
        const panel = document.querySelector('#speed-panel');
        for (const n of words) panel.querySelector(`input[value="${n}"]`).click();
        return globalThis.shownTimes();
      }, words);
    await page.evaluate(() => {
      globalThis.told = [];
      const panel = document.querySelector('#speed-panel');
      panel.addEventListener('verdict', ({ target }) =>
        globalThis.told.push(target.dataset.verdict),
      );
      globalThis.shownTimes = () =>
        [...panel.querySelectorAll('.speed tbody tr')].map(({ cells }) => cells[3].textContent);
    });
    // the comparison of 1,024 words is under way when that of 128 is asked for
    assert.deepEqual(await choose(1024, 128), ['', '', '']);
    await settled(page);
    assert.deepEqual(await page.evaluate('told'), ['waiting', 'waiting', 'holds']);
    await page.locator('#speed-panel .speed').scrollIntoViewIfNeeded();
    await becomes(async () => / The button times each 9 times[.]/.test(await said()), true);
    for (const time of await times()) assert.match(time, /^[\d.]+ ms$/, 'without a press');
    for (const _ of ['once', 'and again']) {
      const labels = await page.evaluate(startAndStop, {
        panel: '#speed-panel',
        start: 'measure here',
        when: ['tbody tr:last-child td:nth-of-type(3)', '^[\\d.]+ ms$'],
      });
      assert.deepEqual(labels, ['stop', 'measure here']);
      const found = await times();
      for (const time of found) assert.match(time, /^[\d.]+ ms$/);
      assert.equal(await said(), 'Stopped after 3 of 27 timings.');
      await settled(page);
      assert.deepEqual(await times(), found, 'nothing is added');
    }
    assert.deepEqual(await choose(512), ['', '', '']);
    await becomes(async () => / The button times each 9 times[.]/.test(await said()), true);
    await go(page, '#');
  });
});
