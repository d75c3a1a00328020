/** Work of the page: when it is done, and in which parts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inParts, onceAfter, sparing } from '../../../web/page/frames.js';

/** A clock that stands still, except where a part takes that many milliseconds. */
function clock(t) {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  return (milliseconds) => void (now += milliseconds);
}

/** Parts that take that long each, and note when they are done. */
function* parts(spend, milliseconds, log) {
  for (const [at, each] of milliseconds.entries()) {
    spend(each);
    log.push(at);
    yield;
  }
  return 'done';
}

test('a long part is followed by a task of others, and short ones share a task', async (t) => {
  const log = [];
  const work = inParts(parts(clock(t), [3, 3, 20, 3, 3, 3, 3], log), () => true);
  const others = setInterval(() => log.push('other'));
  t.after(() => clearInterval(others));
  assert.equal(await work, 'done');
  const tasks = log.join(' ').split(/(?: ?other ?)+/);
  assert.deepEqual(tasks.filter(Boolean), ['0 1 2', '3 4 5 6']);
});

test('work that is not wanted any more is given up before its next part', async (t) => {
  const log = [];
  const wanted = () => log.length < 2;
  assert.equal(await inParts(parts(clock(t), [20, 20, 20, 20], log), wanted), undefined);
  assert.deepEqual(log, [0, 1]);
});

test('the first part is not in the task that asks', async (t) => {
  const log = [];
  const work = inParts(parts(clock(t), [1], log), () => true);
  assert.deepEqual(log, []);
  await work;
});

test('work that is asked for several times is done once, before the next task', async () => {
  let count = 0;
  const ask = onceAfter(() => void count++);
  for (let round = 1; round <= 2; round++) {
    ask();
    ask();
    assert.equal(count, round - 1);
    await Promise.resolve();
    assert.equal(count, round);
  }
});

/** Frames and timers that run by hand. A frame is told how long it takes until it is painted. */
function byHand(t) {
  const spend = clock(t);
  const dataset = {};
  globalThis.document = { documentElement: { dataset } };
  t.after(() => delete globalThis.document);
  const frames = [];
  let timers = [];
  globalThis.requestAnimationFrame = (run) => frames.push(run);
  t.after(() => delete globalThis.requestAnimationFrame);
  t.mock.method(globalThis, 'setTimeout', (run, wait = 0) =>
    timers.push({ run, due: performance.now() + wait }),
  );
  const pass = (milliseconds) => {
    spend(milliseconds);
    const due = timers.filter((each) => each.due <= performance.now());
    timers = timers.filter((each) => !due.includes(each));
    for (const { run } of due) run();
  };
  const frame = (milliseconds) => {
    const begun = performance.now();
    spend(milliseconds);
    for (const run of frames.splice(0)) run(begun);
    pass(0);
  };
  return { pass, frame, dataset };
}

test('a drawing leaves others as much time as it takes, and the last one is drawn', (t) => {
  const { pass, frame } = byHand(t);
  let count = 0;
  const ask = sparing(() => void count++);
  ask();
  assert.equal(count, 1);
  ask();
  frame(20);
  ask();
  pass(19);
  assert.equal(count, 1);
  pass(1);
  assert.equal(count, 2);
  frame(5);
  pass(5);
  assert.equal(count, 2);
  ask();
  assert.equal(count, 3);
});

test('a drawing that takes two frames is over with the second one', (t) => {
  const { pass, frame, dataset } = byHand(t);
  let count = 0;
  const ask = sparing(() => void count++);
  ask();
  ask();
  dataset.drawing = '';
  frame(20);
  delete dataset.drawing;
  pass(20);
  assert.equal(count, 1);
  frame(10);
  pass(49);
  assert.equal(count, 1);
  pass(1);
  assert.equal(count, 2);
});
