/** Methods refuse more arguments than they take, in whichever thread they run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { inspectModel, loadModel } from '../../src/js/model/index.js';
import { createTrainer } from '../../src/js/train/index.js';
import * as worker from '../../src/js/worker/client.js';
import { asGguf, configs, tiny } from '../support/models/random-models.js';

const ch = await init({ layers: true, variant: 'simd' });
const one = Float32Array.of(1);
const source = asGguf(tiny(configs['llama, tied, grouped']), {
  'tokenizer.chat_template': '{{ messages[0].content }}',
});
const model = await loadModel(source, { engine: ch });
const matrix = { q: one, k: one, v: one, o: one };
const sizes = { heads: 1, kvLatent: 1, nopeDim: 1, valueDim: 1 };
const latent = ch.latent(
  { q: one, kvA: one, kvB: new Float32Array(2), o: one },
  { modelDim: 1, ...sizes },
);
const theory = await ch.theory;
const trainer = await createTrainer(
  { layers: 1, modelDim: 2, heads: 1, ffnDim: 0, vocab: 2 },
  { engine: ch, batch: 1, context: 2 },
);

const CACHE = { append: 3, truncate: 1, read: 2, clone: 0, snapshot: 0, restore: 1 };
const MODEL = {
  generate: 2,
  chat: 2,
  prefill: 2,
  step: 2,
  row: 3,
  rank: 3,
  trace: 2,
  traceBytes: 2,
  lens: 2,
  ledger: 3,
  sweep: 2,
  temperature: 2,
  setTemperature: 3,
  intervene: 1,
};
const HEADS = { scores: 1, fingerprint: 3 };
const MODEL_CACHE = { truncate: 1, clear: 0, snapshot: 0, restore: 1 };
const TRAINER = {
  step: 2,
  evaluate: 2,
  heads: 1,
  parameters: 0,
  gradients: 0,
  setParameters: 1,
  state: 0,
  restore: 1,
  save: 1,
  checkpoint: 0,
  pause: 0,
  proceed: 0,
};
const TOKENIZER = { encode: 2, decode: 2, token: 1 };

/** Each object of the API, and how many arguments each of its methods takes. */
const here = {
  'a cache': [ch.kvCache({ headDim: 1, capacity: 1 }), CACHE],
  'a linear layer': [ch.linear(one, { inputs: 1 }), { forward: 2 }],
  'a multi-head layer': [ch.multiHead(matrix, { modelDim: 1, heads: 1 }), { forward: 2 }],
  'a latent layer': [latent, { forward: 2, cache: 1 }],
  'a latent cache': [latent.cache({ capacity: 1 }), { truncate: 1, read: 2 }],
  'a Jacobian': [theory.softmaxJacobian(one), { apply: 1, spectrum: 0, top: 0 }],
  'a model': [model, MODEL],
  'the cache of a model': [model.cache, MODEL_CACHE],
  'the heads of a model': [model.heads, HEADS],
  'a tokenizer': [model.tokenizer, { ...TOKENIZER, stream: 1 }],
  'a stream of text': [model.tokenizer.stream(), { push: 1, end: 0 }],
  'a trainer': [trainer, TRAINER],
  'a chat template': [model.template, { render: 2 }],
};

/** Methods that others call with arguments of their own. */
const FREE = ['constructor', 'dispose', 'toJSON'];

/** The names of all other methods, its own and those of its class. */
function methodsOf(object) {
  const of = (x) =>
    Object.entries(Object.getOwnPropertyDescriptors(x))
      .filter(([name, { value }]) => typeof value === 'function' && !FREE.includes(name))
      .map(([name]) => name);
  const prototype = Object.getPrototypeOf(object);
  return [...of(object), ...(prototype === Object.prototype ? [] : of(prototype))].sort();
}

const refusal = (name, count) => ({
  name: 'ClearheadError',
  code: 'ARG',
  message: `${name} is called with ${count + 1} arguments; expected at most ${count}`,
});

for (const [what, [object, counts]] of Object.entries(here))
  test(`${what} refuses more arguments than a method takes`, () => {
    assert.deepEqual(methodsOf(object), Object.keys(counts).sort());
    for (const [name, count] of Object.entries(counts))
      assert.throws(() => object[name](...Array(count + 1)), refusal(name, count), name);
  });

test('as many arguments as a method takes are taken, also where some have default values', () => {
  const cache = ch.kvCache({ headDim: 1, capacity: 2 });
  cache.append(one, one, { layout: 'bhsd' });
  for (const k of [cache.read(), cache.read(0), cache.read(0, 1), cache.read(undefined, 1)])
    assert.deepEqual(k, { k: one, v: one });
  assert.deepEqual(cache.read(1).k, new Float32Array(0));
});

test('dispose ignores arguments, since events and promises give it some', async () => {
  const tensor = ch.tensor([1]);
  tensor.dispose('event');
  assert.throws(() => tensor.data, { code: 'DISPOSED' });
  const engine = await init();
  engine.dispose('value');
});

test('loading refuses more than a source and options', async () => {
  for (const load of [loadModel, inspectModel, worker.loadModel])
    await assert.rejects(load(source, {}, {}), refusal(load.name, 2));
  await assert.rejects(worker.init({}, {}), refusal('init', 1));
});

test('methods in a worker refuse the same', async () => {
  const remote = await worker.init();
  const cache = await remote.kvCache({ headDim: 1, capacity: 1 });
  const there = await worker.loadModel(source);
  const textOf = (result) => result.next?.() ?? result;
  for (const [object, counts, first] of [
    [remote, { attention: 4, kvCache: 1 }, []],
    [remote, { attend: 3 }, [undefined, cache]],
    [cache, CACHE, []],
    [there, MODEL, []],
    [there.cache, { ...MODEL_CACHE, tokens: 0 }, []],
    [there.tokenizer, TOKENIZER, []],
  ])
    for (const [name, count] of Object.entries(counts)) {
      const values = Array.from({ length: count + 1 }, (_, x) => first[x]);
      await assert.rejects(async () => textOf(object[name](...values)), refusal(name, count));
    }
  await remote.dispose();
  await there.dispose();
});
