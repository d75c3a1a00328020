/** Work of the page: when it is done, and in which parts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inParts, onceAfter } from '../../../web/page/frames.js';

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
