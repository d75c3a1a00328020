/** The verdict that follows from the numbers of a statement. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from '../../../web/page/statement.js';

const close = { measured: 1e-16, allowed: 2e-16, size: 0.5 };

test('an equation holds within its allowance, and neither beyond it nor without a number', () => {
  assert.equal(verdictOf(close), 'holds');
  for (const wrong of [
    { measured: 3e-16 },
    { measured: NaN },
    { allowed: NaN },
    { ratio: 1.1 },
    { ratio: NaN },
  ])
    assert.equal(verdictOf({ ...close, ...wrong }), 'violated', JSON.stringify(wrong));
});

test('an allowance of more than a hundredth of the numbers says nothing', () => {
  assert.equal(verdictOf({ measured: 0, allowed: 0.17, size: 0.4 }), 'vacuous');
  assert.equal(verdictOf({ measured: 0, allowed: 0.003, size: 0.4 }), 'holds');
  assert.equal(verdictOf({ measured: 0.2, allowed: 0.17, size: 0.4 }), 'violated');
});

test('a bound is kept with slack, says nothing above what holds anyway, or is broken', () => {
  const bound = { bound: true, measured: 0.3, allowed: 0.5, cap: 1.4 };
  assert.equal(verdictOf(bound), 'slack');
  assert.equal(verdictOf({ ...bound, allowed: 1.4 }), 'vacuous');
  assert.equal(verdictOf({ ...bound, measured: 0.6 }), 'violated');
  assert.equal(verdictOf({ ...bound, measured: 0.6, rounding: 0.2 }), 'slack');
  assert.equal(verdictOf({ ...bound, measured: NaN }), 'violated');
});

test('sides that should differ, and do not, are a violation', () => {
  assert.equal(verdictOf({ ...close, broken: true, measured: 0.1 }), 'off');
  assert.equal(verdictOf({ ...close, broken: true }), 'violated');
});
