/** The JavaScript of the documents about looking inside runs as it stands there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { asGguf, configs, tiny, vocabulary } from '../../support/models/random-models.js';

const engine = await init({ variant: 'simd', layers: true });
const config = configs['llama, tied, grouped'];
const log = () => {};
const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);
const AsyncFunction = (async () => {}).constructor;

/** The blocks of JavaScript in a document. */
function blocksOf(document) {
  const text = readFileSync(new URL(`../../../docs/${document}.md`, import.meta.url), 'utf8');
  return [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
}

/** Runs all blocks of a document one after the other. Gives the values of these names. */
async function run(document, given, names) {
  const body = [...blocksOf(document), `return { ${names} };`].join('\n');
  return new AsyncFunction(...Object.keys(given), body)(...Object.values(given));
}

test('the examples of docs/interventions.md record, and change the text', async () => {
  const model = await loadModel(asGguf(tiny(config), vocabulary(64)), { engine });
  const prompt = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const direction = new Float32Array(model.config.modelDim).fill(0.5);
  const shown = [];
  const show = (...values) => shown.push(values);
  const { trace } = await run('interventions', { model, prompt, direction, show }, 'trace');
  const { layers, heads, modelDim } = model.config;
  const count = trace.tokens.length;
  assert.equal(trace.resid_post.length, layers * count * modelDim);
  assert.equal(trace.pattern.length, layers * heads * count * count);
  assert.ok(shown.some(([, stream]) => stream?.length === layers * modelDim));
  assert.ok(shown.some((values) => values.length === 1));
  assert.deepEqual(model.interventions, []);
  model.dispose();
});

const STORIES = new URL('../../../web/model/stories-Q8_0.gguf', import.meta.url);

test('the last example of docs/spans.md finds heads of the model of this repository', async () => {
  const stories = await loadModel(STORIES, { engine });
  const code = `${blocksOf('spans').at(-1)}return { found, ablated };`;
  const { found, ablated } = await new AsyncFunction('model', 'console', code)(stories, { log });
  assert.ok(found.length > 0);
  assert.deepEqual(
    ablated.map(({ layer, head }) => [layer, head]),
    found.slice(0, 8).map(({ layer, head }) => [layer, head]),
  );
  stories.dispose();
});

test('the examples of docs/inspect.md itemise a logit, score own repeats, and sweep', async () => {
  const model = await loadModel(STORIES, { engine });
  const names = 'ledger, own, nouns, changes';
  const { ledger, own, nouns, changes } = await run('inspect', { model }, names);
  const { embedding, rounding, identity } = ledger;
  const lists = [ledger.heads, ledger.feedForward, ledger.biases, ledger.interventions];
  const total = embedding + sum(lists.map(sum)) + rounding;
  assert.ok(Math.abs(total - identity.left) <= identity.allowed, `${total}, ${identity.left}`);
  // the least and the largest induction in layer 1, as the document writes them
  const range = ({ heads }) => {
    const all = heads.filter(({ layer }) => layer === 1).map(({ scores }) => scores.induction);
    return [Math.min(...all), Math.max(...all)].map((x) => x.toFixed(2)).join(' to ');
  };
  const text = readFileSync(new URL('../../../docs/inspect.md', import.meta.url), 'utf8');
  const [, sentence] = /for `( Tom[^`]+)`/.exec(text);
  const ids = model.tokenizer.encode(sentence, { marks: false });
  const other = await model.heads.scores({ repeats: [[...ids, ...ids]] });
  for (const [scores, words] of [
    [own, 'for induction here'],
    [other, 'for ` Tom'],
  ])
    assert.ok(text.includes(`${range(scores)} ${words}`), range(scores));
  const begun = model.tokenizer.encode(nouns);
  await assert.rejects(model.heads.scores({ repeats: [[...begun, ...begun]] }), {
    name: 'ClearheadError',
    code: 'ARG',
    message: /^repeats\[0\]\[0\] is the token that begins a text; expected ids .*marks: false/,
  });
  assert.equal(changes.length, model.config.layers * model.config.heads);
  model.dispose();
});
