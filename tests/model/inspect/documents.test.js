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

test('the last example of docs/spans.md finds heads of the model of this repository', async () => {
  const file = new URL('../../../web/model/stories-Q8_0.gguf', import.meta.url);
  const stories = await loadModel(file, { engine });
  const code = `${blocksOf('spans').at(-1)}return { found, ablated };`;
  const { found, ablated } = await new AsyncFunction('model', 'console', code)(stories, { log });
  assert.ok(found.length > 0);
  assert.deepEqual(
    ablated.map(({ layer, head }) => [layer, head]),
    found.slice(0, 8).map(({ layer, head }) => [layer, head]),
  );
  stories.dispose();
});

test('the examples of docs/inspect.md itemise a logit, and sweep', async () => {
  const model = await loadModel(asGguf(tiny(config), vocabulary(64)), { engine });
  const { ledger, changes } = await run('inspect', { model, sum }, 'ledger, changes');
  const { embedding, rounding, identity } = ledger;
  const lists = [ledger.heads, ledger.feedForward, ledger.biases, ledger.interventions];
  const total = embedding + sum(lists.map(sum)) + rounding;
  assert.ok(Math.abs(total - identity.left) <= identity.allowed, `${total}, ${identity.left}`);
  assert.equal(changes.length, model.config.layers * model.config.heads);
  model.dispose();
});
