/** The first frame of the look and its sentences, without a browser. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { positionOf, temperatureAt } from '../../../web/page/heat.js';
import { percent } from '../../../web/plot/format.js';
import { tellFirst } from '../../../web/panels/look/first.js';
import { firstFrame } from '../../../web/panels/look/frame.js';
import { mapPaths, pooledLine, shade } from '../../../web/panels/look/shade.js';
import { Story } from '../../../web/panels/look/writing/story.js';
import { foretold, inBits, lineOf } from '../../../web/panels/look/surprise.js';
import {
  countOfSharp,
  distance,
  pieceName,
  plain,
  sentence,
} from '../../../web/panels/look/words.js';
import { letters } from '../../support/web/letters.js';

/** A story of letters without a model, with some rows by their token. */
function made(text, rows) {
  const story = new Story({ layers: 1, heads: 2, kvHeads: 1 }, 8);
  for (const [id, letter] of [...text].entries()) story.add({ id, text: ` ${letter}${letter}` });
  for (const [i, row] of Object.entries(rows)) {
    const weights = [0, 1].map((head) => ({ layer: 0, head, weights: Float32Array.from(row) }));
    const kl = Float32Array.from(weights, ({ weights: p }) =>
      p.reduce((sum, x) => sum + (x && x * Math.log(x * p.length)), 0),
    );
    story.record(Number(i), { weights, kl });
  }
  return story;
}
const head = { layer: 0, head: 1 };

describe('the first frame of the look', () => {
  let model;
  let told;
  let html;
  before(async () => {
    const engine = await init({ layers: true, variant: 'simd' });
    model = await loadModel(letters(), { engine });
    told = tellFirst(model, { prompt: 'once', tokens: 24 });
    html = firstFrame(told.story, told.head, told.i);
  });

  test('its text is the prompt and the tokens that generate writes', async () => {
    const ids = model.tokenizer.encode('once');
    const written = [...ids];
    for await (const { token } of model.generate(ids, { maxTokens: 24 - ids.length }))
      if (!model.tokenizer.ends.has(token)) written.push(token);
    const [, tokens] = /data-tokens="([^"]*)"/.exec(html);
    assert.deepEqual(tokens.split(' ').map(Number), written);
  });

  test('the weights on its words are those of the library', () => {
    const values = [...html.matchAll(/<span class="token[^>]*data-value="([^"]*)"/g)];
    const { weights } = model.row(told.head.layer, told.head.head, told.i);
    assert.equal(values.length, told.i + 1);
    assert.deepEqual(
      values.map(([, value]) => Number(value)),
      Array.from(weights),
    );
  });

  test('every shade of its maps is that of a weight of the library', () => {
    const shown = { layer: 2, head: 5 };
    const levels = cells(mapPaths(told.story, shown), told.story.rows);
    for (let i = 0; i < told.story.rows; i++) {
      const { weights } = model.row(shown.layer, shown.head, i);
      assert.deepEqual(levels[i].slice(0, i + 1), Array.from(weights, shade));
    }
  });

  test('it has a map and a cell of the board for each head, and no style of its own', () => {
    assert.equal([...html.matchAll(/class="look-map/g)].length, 32);
    assert.equal([...html.matchAll(/<rect [^>]*data-value=/g)].length, 32);
    const [, scale] = /<p class="look-scale"[^>]*>all words alike<svg(.*)<\/svg>one word<\/p>/.exec(
      html,
    );
    const shades = Array.from({ length: 7 }, (_, level) => `w${level}`);
    assert.deepEqual(scale.match(/\bw\d/g), shades, 'its colours have a key');
    assert.equal([...html.matchAll(/class="look-group/g)].length, 4 * 2);
    assert.doesNotMatch(html, /style=|undefined|NaN%/);
  });

  test('it tells how surprising the word is, by the logits of the library', () => {
    const { story, i } = told;
    model.cache.clear();
    let z;
    for (const { id } of story.tokens.slice(0, i)) ({ logits: z } = model.step(id));
    const sum = z.reduce((total, x) => total + Math.exp(x), 0);
    const chance = Math.exp(z[story.tokens[i].id]) / sum;
    const [, line] = /<p class="look-surprise">(.*?)<\/p>/s.exec(html);
    const values = [...line.matchAll(/data-value="([^"]*)"/g)].map(([, value]) => Number(value));
    assert.equal(values.length, 2);
    assert.ok(Math.abs(values[0] - chance) < 1e-9 * chance);
    assert.ok(Math.abs(values[1] + Math.log2(chance)) < 1e-9);
  });

  test('a text cannot become markup', () => {
    const story = made('ab', { 0: [1], 1: [0.5, 0.5] });
    story.tokens[0].text = '<b>&"';
    assert.match(firstFrame(story, head, 1), />&lt;b&gt;&amp;&quot;</);
  });
});

/** The shades of strokes, painted into cells. @param {readonly string[]} paths @param {number} n */
function cells(paths, n) {
  const levels = Array.from({ length: n }, () => new Array(n).fill(0));
  paths.forEach((d, level) => {
    let x = 0;
    let y = 0;
    for (const [, letter, text] of d.matchAll(/([Mmh])([^Mmh]*)/g)) {
      const [a, b] = text.match(/-?[\d.]+/g).map(Number);
      if (letter === 'M') [x, y] = [a, b - 0.5];
      else if (letter === 'm') [x, y] = [x + a, y + b];
      else for (const end = x + a; x < end; x++) levels[y][x] = level;
    }
  });
  return levels;
}

describe('the words of the look', () => {
  const story = made('abcd', {
    0: [1],
    1: [0.9, 0.1],
    2: [0.5, 0.3, 0.2],
    3: [0.5, 0.3, 0.1, 0.1],
  });

  test('the sentence names the word, the head, its largest weight and the distance', () => {
    assert.equal(plain(sentence(story, head, 2, false)), 'At ‘cc’, head 0.1 puts 50 % on ‘aa’.');
    assert.equal(
      plain(sentence(story, head, 3, true)),
      'At ‘dd’, head 0.1 puts 60 % on ‘bb’, 2 words back.',
    );
  });

  test('where all weights are equal, the sentence names no word', () => {
    const even = made('abcd', { 3: [0.25, 0.25, 0.25, 0.25] });
    const said = (rest) => plain(sentence(even, head, 3, rest)).replace(/^.* puts /, '');
    assert.equal(said(false), 'the same share, 25 %, on each of 4 words and pieces.');
    assert.equal(said(true), 'the same share, about 33 %, on each of 3 words and pieces.');
  });

  test('pieces of a word and its punctuation count as one word, and are named with it', () => {
    const told = made('', {});
    for (const text of ['', ' B', 'en', ' took', ' it', '.', '\n', '"', 'Wh', 'ere'])
      told.add({ id: 0, text });
    const names = told.tokens.map((_, j) => pieceName(told, j));
    assert.deepEqual(names.slice(1, 6), ['‘B’ in ‘Ben’', '‘en’ in ‘Ben’', '‘took’', '‘it’', '‘.’']);
    assert.deepEqual(names.slice(6), ['a new line', '‘"’', '‘Wh’ in ‘Where’', '‘ere’ in ‘Where’']);
    assert.equal(distance(told, 4, 2), '2 words back');
    assert.equal(distance(told, 5, 1), '2 words back');
    assert.deepEqual(
      [distance(told, 3, 2), distance(told, 3, 1)],
      ['just before', 'one word back'],
    );
    assert.equal(distance(told, 9, 7), 'just before the word');
    for (const text of [' cl', 'ev', 'er']) told.add({ id: 0, text });
    assert.equal(distance(told, 12, 10), 'in the same word');
  });

  test('no number of sharp heads is told in a sentence that contradicts it', () => {
    const told = made('ab', { 0: [1], 1: [0.5, 0.5] });
    assert.match(countOfSharp(told, 1, false), /^None of the 2 heads .*: each looks at many/);
    told.rho.fill(Math.log(2));
    assert.match(countOfSharp(told, 1, false), /^All 2 heads .*: each picks few/);
    told.rho[1 * told.capacity + 1] = 0;
    assert.match(countOfSharp(told, 1, false), /^1 of 2 heads/);
  });

  test('a surprise is told as a chance, deeper in bits, and the first word has none', () => {
    const told = made('abc', { 0: [1] });
    told.bits.set([NaN, 2, 12]);
    assert.match(plain(foretold(told, 0)), /^The text begins here/);
    assert.deepEqual(inBits(told, 0), []);
    const second = 'One step earlier, the looks gave ‘bb’ a chance of 25 %.';
    assert.equal(plain(foretold(told, 1)), second);
    const hot = second.replace('One step earlier,', 'One step earlier, at this temperature,');
    assert.equal(plain(foretold(told, 1, 2)), hot);
    assert.match(plain(foretold(told, 2)), /a chance of 1 in 4,100\.$/);
    assert.equal(
      plain(inBits(told, 2)),
      ' This is a surprise of 12.0 bits, and a tossed coin has 1.',
    );
    assert.deepEqual([NaN, 0, 0.9, 1, 4, 40, Infinity].map(lineOf), [0, 0, 0, 0.75, 3, 8, 8]);
  });

  test('no share is rounded to nothing or to all', () => {
    assert.deepEqual([0, 0.004, 0.5, 0.996, 1].map(percent), [
      '0 %',
      '< 1 %',
      '50 %',
      '> 99 %',
      '100 %',
    ]);
  });

  test('sharpness is ρ/log n, and without the start that of the rest', () => {
    const rho = [0.5, 0.3, 0.1, 0.1].reduce((sum, p) => sum + p * Math.log(4 * p), 0);
    assert.ok(Math.abs(story.sharpness(head, 3, false) - rho / Math.log(4)) < 1e-6);
    const rest = [0.3, 0.1, 0.1].map((p) => p / 0.5);
    const others = rest.reduce((sum, p) => sum + p * Math.log(3 * p), 0);
    assert.ok(Math.abs(story.sharpness(head, 3, true) - others / Math.log(3)) < 1e-6);
    assert.ok(Number.isNaN(story.sharpness(head, 0, false)));
  });

  test('a pixel of a small map shows the largest of its weights', () => {
    const line = new Float32Array(2);
    pooledLine(story, head, 1, 2, 4, line);
    assert.deepEqual(Array.from(line), Array.from(Float32Array.of(0.5, 0.2)));
  });
});

test('the slider of temperatures reaches 0, 1 and ∞ exactly, and every position comes back', () => {
  assert.deepEqual([0, 50, 100].map(temperatureAt), [0, 1, Infinity]);
  for (let position = 0; position <= 100; position++)
    assert.equal(positionOf(temperatureAt(position)), position);
});
