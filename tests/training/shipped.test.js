/** The model of the page: its files have the stated sums and the recipe's sizes, and are small. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { DEFINITIONS } from '../../src/js/model/inspect/definitions.js';
import { evaluate, verdicts } from '../../training/stories/evaluation/index.js';
import { ask, readRepeats, readStories } from '../../training/stories/evaluation/reading.js';
import { questionSet, repeatSet, storySet } from '../../training/stories/evaluation/sets.js';
import { MODEL, PHASES, STEPS } from '../../training/stories/recipe.js';
import { sumsOf } from '../../training/stories/run.js';
import { LONG } from '../support/campaign.js';
import { forward } from '../support/models/forward.js';
import { numbersOf, readSafetensors } from '../support/train/readers.js';

const folder = new URL('../../web/model/', import.meta.url);
const read = (name) => readFileSync(new URL(name, folder));
const LARGEST = 2.5e6;

test('SHA256SUMS has the sums of all its files', () => {
  const names = readdirSync(folder).filter((name) => !/^(README\.md|SHA256SUMS)$/.test(name));
  const stated = read('SHA256SUMS').toString();
  const order = stated
    .trim()
    .split('\n')
    .map((line) => line.slice(66));
  assert.deepEqual([...order].sort(), names.sort());
  assert.equal(sumsOf(Object.fromEntries(order.map((name) => [name, read(name)]))), stated);
});

test('the phases of its recipe have as many steps as the recipe says', () => {
  assert.equal(
    PHASES.reduce((sum, { steps }) => sum + steps, 0),
    STEPS,
  );
});

test('both files of weights together have at most 2.5 MB', () => {
  const bytes = ['model.safetensors', 'stories-Q8_0.gguf'].map((name) => read(name).length);
  assert.ok(bytes[0] + bytes[1] <= LARGEST, `${bytes}`);
});

/** The cells of a row of its README, by the first cell. @param {string} name */
const cellsOf = (name) => {
  const rows = read('README.md').toString().split('\n');
  const row = rows.find((line) => line.startsWith(`| ${name}`)) ?? assert.fail(name);
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
};

/** The rows of its README with results, for both files. */
const RESULTS = {
  perplexity: 'perplexity of a token',
  answers: 'right answers of 1,000',
  repeats: 'random repeats that go on, of 3,150',
  whole: 'own stories of 100 that are whole',
  source: "largest mean weight of a head on the answer's source",
};
const statedResults = () =>
  [1, 2].map((file) =>
    Object.fromEntries(Object.entries(RESULTS).map(([name, row]) => [name, cellsOf(row)[file]])),
  );

/** The same of an evaluation. */
const results = ({ perplexity, answers, induction, written, heads }) => ({
  perplexity: perplexity.toFixed(4),
  answers: `${answers.right}`,
  repeats: induction.right.toLocaleString('en'),
  whole: `${written.whole}`,
  source: Math.max(...heads.map(({ scores }) => scores.source ?? 0)).toFixed(2),
});

/** The rows of its README with heads. */
const HEADS = {
  previous: '0: 1, 2 |',
  induction: '1: 0 to 7 | induction',
  source: '1: 0 to 7 | the source',
  first: '1: 6 |',
};
const statedHeads = () =>
  Object.fromEntries(
    Object.entries(HEADS).map(([name, row]) => [name, cellsOf(row)[2].split(', ')]),
  );

/** The scores that earn a label, by their names. */
const labelled = (heads) =>
  Object.fromEntries(
    Object.keys(HEADS).map((name) => [
      name,
      heads
        .map(({ scores }) => scores[name] ?? 0)
        .filter((score) => score >= DEFINITIONS[name].threshold)
        .map((score) => score.toFixed(2)),
    ]),
  );

describe('it loads from both files', () => {
  let half;
  let bytes;
  before(async () => {
    const engine = await init({ variant: 'simd', layers: true });
    half = await loadModel(new URL('model.safetensors', folder), { engine });
    bytes = await loadModel(new URL('stories-Q8_0.gguf', folder), { engine });
  });

  test('with the sizes of the recipe', () => {
    for (const { config } of [half, bytes]) {
      for (const name of ['vocab', 'modelDim', 'layers', 'heads', 'kvHeads', 'ffnDim'])
        assert.equal(config[name], MODEL[name], name);
      assert.equal(config.context, PHASES.at(-1).context);
    }
  });

  test('with the perplexity of a plain pass in float64', () => {
    const text = storySet(1);
    const ids = half.tokenizer.encode(text[0]);
    const entries = [...readSafetensors(read('model.safetensors'))[1]];
    const tensors = Object.fromEntries(
      entries.map(([name, tensor]) => [name, { shape: tensor.shape, data: numbersOf(tensor) }]),
    );
    const config = JSON.parse(read('config.json').toString());
    const nats = forward({ config, tensors }, ids)
      .slice(0, -1)
      .map(({ logits }, at) => {
        const max = Math.max(...logits);
        const sum = logits.reduce((total, x) => total + Math.exp(x - max), 0);
        return max + Math.log(sum) - logits[ids[at + 1]];
      });
    const expected = Math.exp(nats.reduce((sum, x) => sum + x, 0) / nats.length);
    const { perplexity } = readStories(half, text);
    assert.ok(Math.abs(perplexity / expected - 1) < 1e-5, `${perplexity}, not ${expected}`);
  });

  if (LONG)
    test('with every goal met, few answers lost by eight bits, and its README true', async () => {
      const evaluations = [await evaluate(half), await evaluate(bytes)];
      for (const evaluation of evaluations)
        assert.deepEqual(
          verdicts(evaluation).filter(({ met }) => !met),
          [],
        );
      const [fine, coarse] = evaluations.map(({ answers }) => answers.right);
      assert.ok(coarse >= fine - 5, `${fine} and ${coarse} of 1,000`);
      assert.deepEqual(statedResults(), evaluations.map(results));
      assert.deepEqual(statedHeads(), labelled(evaluations[1].heads));
    });

  test('and continues what repeats, and answers nineteen of twenty questions', async () => {
    const repeats = readRepeats(bytes, repeatSet(4, { size: MODEL.vocab, period: 64 }));
    assert.ok(repeats.right >= 0.95 * repeats.total, `${repeats.right} of ${repeats.total}`);
    const answers = await ask(bytes, questionSet(60));
    assert.ok(answers.right >= 57, `${answers.right} of 60`);
  });

  test('and eight bits a weight cost less than one in a hundred of the perplexity', () => {
    const texts = storySet(10);
    const [fine, coarse] = [half, bytes].map((model) => readStories(model, texts).perplexity);
    assert.ok(Math.abs(coarse / fine - 1) < 0.01, `${fine} and ${coarse}`);
  });
});
