/** Arguments that cannot be sent are refused by the names that they have here. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { init, loadModel } from '../../src/js/worker/client.js';
import { all, engine, source } from '../support/models/in-worker.js';

/** @template {ArrayBufferView} V @param {V} view */
const detached = (view) => {
  structuredClone(view, { transfer: [view.buffer] });
  return view;
};
const ids = () => detached(Int32Array.of(1, 2));
const floats = () => detached(new Float32Array(8));

describe('a detached array is refused by name', () => {
  const live = new Float32Array(8);
  let attention;
  let cache;
  let model;
  before(async () => {
    attention = await init();
    cache = await attention.kvCache({ headDim: 8, capacity: 4 });
    model = await loadModel(source, { engine });
  });
  after(() => Promise.all([attention.dispose(), model.dispose()]));

  for (const [name, call] of [
    ['k', () => attention.attention(live, floats(), live, { headDim: 8 })],
    ['mask', () => attention.attention(live, live, live, { headDim: 8, mask: ids() })],
    ['q', () => attention.attend(floats(), cache)],
    ['v', () => cache.append(live, floats())],
    ['snapshot', () => cache.restore(floats())],
    ['wasm', () => init({ wasm: floats() })],
    ['tokens', () => model.prefill(ids())],
    ['prompt', () => all(model.generate(ids()))],
    ['prompt', () => model.sweep(ids())],
    ['passages[1]', () => model.rank([1], [[1], ids()])],
    ['ids', () => model.tokenizer.decode(ids())],
    ['snapshot.tokens', () => model.cache.restore({ tokens: ids() })],
    ['interventions[0].add', () => model.intervene([{ layer: 0, add: floats() }])],
    ['source', () => loadModel(floats(), { engine })],
    ['weights', () => loadModel({ weights: floats() }, { engine })],
    ['wasm', () => loadModel(source, { engine: { wasm: floats() } })],
  ])
    test(`${name} in ${call}`, () =>
      assert.rejects(
        async () => call(),
        ({ code, message }) => {
          assert.equal(code, 'DETACHED', message);
          assert.match(message, /Array of 0 bytes; expected a live array$/);
          assert.ok(message.startsWith(`${name} is `), message);
          return true;
        },
      ));

  for (const [name, call] of [
    ['loadModel', () => loadModel(source, { engine, context: () => 1 })],
    ['decode', () => model.tokenizer.decode([() => 1])],
    ['restore', () => model.cache.restore({ tokens: () => 1 })],
    ['sweep', () => model.sweep([() => 1])],
    ['append', () => cache.append(live, () => 1)],
  ])
    test(`of another value that cannot be sent, the call is named: ${name}`, () =>
      assert.rejects(async () => call(), {
        code: 'ARG',
        message: new RegExp(`^${name} was given a value that cannot be sent to a worker`),
      }));
});
