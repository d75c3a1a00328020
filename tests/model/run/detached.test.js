/** Arrays whose memory is gone are refused by name, wherever a model takes numbers. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { load } from '../../support/models/texts.js';

/** @template {ArrayBufferView} V @param {V} view */
const detached = (view) => {
  structuredClone(view, { transfer: [view.buffer] });
  return view;
};
const gone = () => detached(Int32Array.of(1, 2));

describe('a detached array', () => {
  let model;
  before(async () => (model = await load()));
  after(() => model.dispose());

  for (const [name, call] of [
    ['tokens', () => model.prefill(gone())],
    ['prompt', () => model.generate(gone())],
    ['prompt', () => model.trace(gone(), { record: ['z'] })],
    ['prompt', () => model.traceBytes(gone(), { record: ['z'] })],
    ['query', () => model.rank(gone(), [[1]])],
    ['passages[0]', () => model.rank([1], [gone()])],
    ['positions', () => model.trace([1, 2], { record: ['z'], positions: gone() })],
    ['interventions[0].positions', () => intervene({ gain: 0, positions: gone() })],
    ['interventions[0].add', () => intervene({ add: detached(new Float32Array(32)) })],
    ['interventions[0].pattern[0]', () => intervene({ pattern: [detached(Float32Array.of(1))] })],
  ])
    test(`of ${name} is refused by name in ${call}`, () =>
      assert.rejects(
        async () => call(),
        ({ code, message }) => {
          assert.equal(code, 'DETACHED');
          assert.equal(
            message.replace(/ is (Int|Float)32Array of 0 bytes;/, ''),
            `${name} expected a live array`,
          );
          return true;
        },
      ));

  const intervene = (entry) => model.intervene([{ layer: 0, ...entry }]);

  test('is none where an empty one is alive', () =>
    assert.throws(() => model.prefill(new Int32Array()), { code: 'SHAPE', message: /is empty/ }));

  test('a view of other memory is no list of ids', () =>
    assert.throws(() => model.prefill(new DataView(new ArrayBuffer(8))), {
      code: 'ARG',
      message: 'tokens is DataView of 8 bytes; expected an array of ids',
    }));
});
