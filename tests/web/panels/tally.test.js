/** The count of the random states that the proof sheet was checked on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tally } from '../../../web/panels/proofs/tally.js';

/** A check of two statements. */
const proof = (seed, holds = true) => ({
  seed,
  statements: [
    { number: 1, name: 'attention', holds: true, worst: {} },
    { number: 8, name: 'log-sum-exp', holds, worst: {} },
  ],
});

test('the tally says how many of all states were checked, and no time', () => {
  const tally = new Tally();
  assert.equal(tally.words(200), 'Checked 0 of 200 times.');
  tally.add(proof(3));
  tally.add(proof(4));
  const words = 'Checked 2 of 200 times, each time with new numbers: ✓ all 4 checks hold.';
  assert.equal(tally.words(200), words);
});

test('the tally names the statement and the seed of the first check that failed', () => {
  const tally = new Tally();
  for (const [seed, holds] of [[3], [4, false], [5, false]]) tally.add(proof(seed, holds));
  assert.match(tally.words(3), /✗ 2 of 6 checks failed, first that of statement 8 with seed 4\.$/);
});
