/** The example of six words: the same shares in every panel that begins with it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { exampleOf } from '../../../web/math/example.js';
import { PANELS } from '../../../web/page/panels.js';
import { Store } from '../../../web/page/state.js';
import { spend } from '../../../web/panels/commitment/compute.js';
import { fallShort, path, threeOf } from '../../../web/panels/compromise/compute.js';
import { derive } from '../../../web/panels/one-look/compute.js';
import { VALUES } from '../../../web/panels/one-look/values.js';
import { testify } from '../../../web/panels/trust/compute.js';

/** A panel as a reader first meets it. */
function first(id) {
  const { state, follows } = PANELS.find((panel) => panel.id === id);
  const signals = Object.entries(state(new Store())).map(([name, { value }]) => [name, value]);
  return { ...exampleOf(undefined, follows), ...Object.fromEntries(signals) };
}

describe('the example', () => {
  let engine;
  let look;
  /** Of the circle, by word. */
  let shares;
  before(async () => {
    const { attention, theory } = await init();
    engine = { attention, theory: await theory };
    look = first('one-look');
    const { routes } = derive(engine, { T: look.T, q: look.q[0], k: look.k, values: VALUES });
    shares = Object.fromEntries(look.words.map((word, j) => [word, routes[0][j]]));
  });
  const same = (words, weights) => {
    assert.equal(weights.length, words.length);
    words.forEach((word, j) =>
      assert.ok(Math.abs(weights[j] - shares[word]) < 1e-8, `${word}: ${weights[j]}`),
    );
  };

  test('has names, nouns and pronouns in front', () => {
    const order = Object.keys(shares).sort((a, b) => shares[b] - shares[a]);
    assert.deepEqual(order.slice(0, 3), ['She', 'Lily', 'ball']);
  });

  test('has the shares of one look in trust, which has a report for each word', () => {
    const { words, scores, T, reports } = first('trust');
    assert.equal(reports.length, look.words.length);
    assert.deepEqual(words, look.words);
    same(words, testify(engine, { scores, reports, T }).weights);
  });

  test('has them in commitment, as the best use of its budget', () => {
    const { words, scores, share } = first('commitment');
    const { weights, T } = spend(engine, scores, share);
    assert.deepEqual(words, look.words);
    same(words, weights);
    assert.ok(Math.abs(T - look.T) < 1e-8, `${T}`);
  });

  test('has its scores in push, at T = 1, where the line crosses the figure', async () => {
    const { words, scores, T } = first('push');
    assert.deepEqual([words, scores, T], [look.words, look.scores, 1]);
    const told = (await readFile(new URL('../../../web/README.md', import.meta.url), 'utf8'))
      .split(/\n\n/)
      .find((part) => part.startsWith('**The example**'));
    assert.match(told.replace(/\s+/g, ' '), /“Push and scale” is the exception: .* at T = 1,/);
  });

  test('is told in the notes, as are the figures of random numbers', async () => {
    const html = await readFile(new URL('../../../web/index.html', import.meta.url), 'utf8');
    const [, notes] = /<p>Some inputs are made up:(.*?)<\/p>/s.exec(html);
    const told = notes.replace(/\s+/g, ' ');
    assert.match(told, /Its values in “one look” and its reports in “trust” are made up, too\./);
    assert.match(told, /the first two figures of “push and scale” are random numbers/);
  });

  test('has them in compromise, where the rest is one', () => {
    const { words, scores, T } = first('compromise');
    const { names, z } = threeOf(engine, { words, scores }, T);
    const { top } = fallShort(engine, { z, T, p: [0.2, 0.3, 0.5] });
    assert.deepEqual(names, ['Lily', 'She', 'the rest (4 words)']);
    same(names.slice(0, 2), top.subarray(0, 2));
  });

  test('goes from the best key alone to equal shares in compromise, ties included', () => {
    const ends = (scores) => {
      const words = scores.map((_, j) => `${j}`);
      const way = path(engine, { words, scores: Float64Array.from(scores) }, [1]);
      return [way[0], way.at(-1)].map(({ T, p }) => [T, ...p]);
    };
    const hot = [Infinity, 1 / 4, 1 / 4, 1 / 2];
    assert.deepEqual(ends([3, 1, 2, 0]), [[0, 1, 0, 0], hot]);
    assert.deepEqual(ends([1, 2, 0, 2]), [[0, 1 / 2, 1 / 2, 0], hot]);
    assert.deepEqual(ends([2, 2, 0, 2]), [[0, 1 / 3, 1 / 3, 1 / 3], hot]);
  });
});
