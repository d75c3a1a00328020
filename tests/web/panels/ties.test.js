/** Equal weights have one place, and a sentence calls none of them the first or the largest. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describe as told } from '../../../web/panels/many-heads/words.js';
import { shownOf } from '../../../web/panels/distance/why-compute.js';
import { trusted } from '../../../web/panels/trust/words.js';
import { largestOf } from '../../../web/plot/ties.js';
import { drawn, go, launch, missing, opened } from '../site.js';

const WORDS = ['Lily', 'saw', 'a', 'red'];
/** A cell of a map of one row, whose last key is masked. */
const cell = (weights, j, of) =>
  told(
    {
      rows: 1,
      cols: weights.length + 1,
      weights: Float32Array.of(...weights, 0),
      counts: [weights.length],
      masked: (_, c) => c === weights.length,
      ...(of && { of: { weights: Float32Array.of(...of, 0), lengths: of } }),
    },
    0,
    j,
  );

describe('the place of a cell in its row', () => {
  test('is counted from the largest weight', () => {
    assert.match(cell([0.5, 0.125, 0.375], 0), /weight 0\.5, 1st of 3, 1\.5 times an even share/);
    assert.match(cell([0.5, 0.125, 0.375], 1), / 3rd of 3, /);
  });

  test('is none where all keys are equal', () => {
    assert.equal(
      cell([0.25, 0.25, 0.25, 0.25], 2),
      'Query 0, key 2: weight 0.25, all 4 equal, an even share.',
    );
    assert.match(cell([1, 1], 0, [1, 1]), / = 1, all 2 equal\.$/);
  });

  test('is shared by some that are equal', () => {
    assert.match(cell([0.5, 0.5, 0], 1), / 1st of 3, as is one other, /);
    assert.match(cell([1, 0, 0, 0], 3), / 2nd of 4, as are 2 others, /);
  });
});

describe('the largest of some weights', () => {
  test('is named, and so is each one that is equal to it', () => {
    assert.equal(largestOf([0.1, 0.6, 0.1, 0.2], WORDS).list, 'saw');
    assert.equal(largestOf([0.4, 0.1, 0.4, 0.1], WORDS).list, 'Lily and a');
    const three = largestOf([0.3, 0.3, 0.1, 0.3 * (1 + 2 ** -50)], WORDS);
    assert.deepEqual([three.list, three.all], ['Lily, saw and red', false]);
  });

  test('is none if all are equal, unless there is one number', () => {
    assert.equal(largestOf([0.25, 0.25, 0.25, 0.25], WORDS).all, true);
    assert.equal(largestOf([1], ['Lily']).all, false);
  });

  test('makes one witness trusted most, or several, or all alike', () => {
    const { who, weight } = trusted([0.1, 0.6, 0.1, 0.2], WORDS);
    assert.deepEqual([who, weight], ['“saw” is trusted most', 'with a weight of 60 %']);
    assert.equal(trusted([0.4, 0.1, 0.4, 0.1], WORDS).who, '“Lily” and “a” are trusted most');
    const alike = trusted([0.25, 0.25, 0.25, 0.25], WORDS);
    assert.deepEqual(Object.values(alike), ['All are trusted alike', 'with a weight of 25 % each']);
  });
});

test('keys on show are the best ones only if no other one has as much', () => {
  assert.equal(shownOf([0.5, 0.1, 0.4], [0, 2]), 'The best 2 of 3');
  assert.equal(shownOf([1 / 3, 1 / 3, 1 / 3], [0, 1]), '2 of 3 keys; others have as much');
  // a chosen key is on show whatever it has
  assert.equal(shownOf([0.5, 0.1, 0.4], [0, 1]), '2 of 3 keys, with the chosen one');
});

describe('at T = ∞ no key is the first', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['one-look', 'many-heads'] });

  test('in many heads and in one look', async () => {
    await go(page, '#T=Infinity&at=21_4&h=4&heroT=Infinity');
    await drawn(page);
    const readout = await page.textContent('#many-heads-panel .readout');
    assert.match(readout, /Query 21, key 4: weight 0\.0455, all 22 equal, an even share\./);
    const label = (figure) => page.getAttribute(`#one-look-panel ${figure}`, 'aria-label');
    assert.match(await label('.circle-frame > svg:last-child'), /all weights are 0\.167\./);
    assert.match(await label('.bars svg'), /She 0\.167; all equal\./);
  });
});
