/** Numbers that add up, of which a reader sees only some digits: their sentences say so. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumSentence } from '../../../web/panels/lab/explained-view.js';
import { summed } from '../../../web/panels/distance/why-words.js';

/** All numbers with two decimals in a text. */
const numbers = (text) =>
  (text.match(/−?\d+\.\d\d/g) ?? []).map((x) => Number(x.replace('−', '-')));

test('the parts of a score, whose last digits may be off together', () => {
  const part = 1.004;
  const ledger = {
    tokens: [1],
    embedding: part,
    heads: Float64Array.of(part, 0),
    feedForward: Float64Array.of(part),
    biases: Float64Array.of(0),
    interventions: Float64Array.of(part),
    rounding: part,
    rest: 0,
  };
  const text = sumSentence({ ledger, score: 5 * part });
  const [score, ...parts] = numbers(text);
  const sum = parts.reduce((total, x) => total + x, 0);
  assert.ok(Math.abs(score - sum) > 0.015, `${score} and ${sum} are of different digits`);
  assert.match(text, /^In rounded numbers, /);
});

test('the products of the channels of a key, and their scale', () => {
  const bars = [1.005, 2.004];
  const text = summed({ q: bars, scale: 0.3333 }, { bars, dot: 3.009, score: 1.0029 });
  const [, dot, score] = numbers(text);
  assert.notEqual((dot * 0.333).toFixed(3), score.toFixed(3));
  assert.match(text, /rounded/);
});
