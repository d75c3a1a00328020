/** The rules of looks.js, with a clock that the test sets. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { watched } from './looks.js';

const real = performance.now;
let time;
const clock = () => time;
beforeEach(() => {
  time = 0;
  performance.now = clock;
});
afterEach(() => void (performance.now = real));

/** Looks at the clock again and again, `step` milliseconds apart. */
const look = (times, step) => () => {
  for (let x = 0; x < times; x++) {
    time += step;
    performance.now();
  }
};

test('waiting is the time between looks, of which each counts at most 50 ms', () => {
  assert.equal(watched(look(100, 3)).waited, 300);
  assert.equal(watched(look(1, 900)).waited, 50);
});

test('a wait without an end fails at its limit', () => {
  assert.throws(() => watched(look(Infinity, 5), 1000), /waited for more than 1000 ms/);
  assert.equal(time, 1005);
});

test('a wait without an end fails with its own message, whatever it breaks', () => {
  const caught = () => {
    try {
      look(Infinity, 5)();
    } catch {
      throw new Error('another one');
    }
  };
  assert.throws(() => watched(caught, 1000), /waited for more than 1000 ms/);
});

test('a thread that is blocked again and again fails, though its looks are few', () => {
  assert.throws(() => watched(look(21, 51)), /21 looks .* more than 50 ms/);
  watched(look(20, 51));
});

test('the clock is given back, whether the call ends or fails', () => {
  watched(look(1, 1));
  assert.equal(performance.now, clock);
  assert.throws(() => watched(() => assert.fail('on purpose')), /on purpose/);
  assert.equal(performance.now, clock);
});
