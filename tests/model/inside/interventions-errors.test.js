/** Malformed interventions and traces are refused by name, and change nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { sameBits } from '../../support/bits.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const engine = await init({ variant: 'simd', layers: true });
const model = await loadModel(asSafetensors(tiny(configs.gemma3)), { engine });
const trace = await model.trace([1, 2, 3, 4], { record: ['z', 'pattern'], positions: [1, 3] });
const short = await model.trace([1, 2], { record: ['z'], layers: [2] });
const vector = new Float32Array(32);
const width = model.config.heads * model.config.headDim;

/** The entry, the code, and the beginning of the message. @type {[any, string, string][]} */
const ENTRIES = [
  [undefined, 'ARG', 'interventions[0] is undefined'],
  [5, 'ARG', 'interventions[0] is 5; expected an object'],
  [{ layer: 0 }, 'ARG', 'interventions[0] is without a kind; expected one of gain knockOut'],
  [{ layer: 0, gian: 0 }, 'ARG', 'interventions[0] is given "gian"; expected only'],
  [{ gain: 0 }, 'ARG', 'interventions[0].layer is undefined but required'],
  [{ layer: 7, gain: 0 }, 'RANGE', 'interventions[0].layer is 7; expected an integer from 0 to 6'],
  [{ layer: 0, head: 4, gain: 0 }, 'RANGE', 'interventions[0].head is 4'],
  [{ layer: 0, gain: NaN }, 'RANGE', 'interventions[0].gain is NaN; expected a finite number'],
  [{ layer: 0, gain: 'median' }, 'ARG', 'interventions[0].gain is "median"; expected a number or'],
  [{ layer: 0, gain: 0, positions: [] }, 'SHAPE', 'interventions[0].positions is empty'],
  [{ layer: 0, gain: 0, positions: 3 }, 'ARG', 'interventions[0].positions is 3'],
  [{ layer: 0, gain: 0, positions: [96] }, 'RANGE', 'interventions[0].positions[0] is 96'],
  [{ layer: 0, gain: 0, temperature: 1 }, 'ARG', 'interventions[0] is given gain with temperature'],
  [
    { layer: 0, patch: 'z', from: trace, add: vector },
    'ARG',
    'interventions[0] is given patch with',
  ],
  [{ layer: 0, knockOut: 4 }, 'ARG', 'interventions[0].knockOut is 4; expected an object'],
  [{ layer: 0, knockOut: { query: [1] } }, 'ARG', 'interventions[0].knockOut is given "query"'],
  [{ layer: 0, knockOut: { keys: [-1] } }, 'RANGE', 'interventions[0].knockOut.keys[0] is -1'],
  [{ layer: 0, pattern: 'last' }, 'ARG', 'interventions[0].pattern is "last"'],
  [{ layer: 0, pattern: 5 }, 'ARG', 'interventions[0].pattern is 5; expected uniform'],
  [{ layer: 0, pattern: [] }, 'RANGE', 'the rows of interventions[0].pattern is 0'],
  [{ layer: 0, pattern: [[1], 1] }, 'ARG', 'interventions[0].pattern[1] is 1; expected an array'],
  [{ layer: 0, pattern: [[1], [1]] }, 'SHAPE', 'interventions[0].pattern[1] is of 1 weights'],
  [{ layer: 0, pattern: [[0.5]] }, 'RANGE', 'the sum of interventions[0].pattern[0] is 0.5'],
  [{ layer: 0, pattern: [[-1]] }, 'RANGE', 'interventions[0].pattern[0][0] is -1'],
  [{ layer: 0, pattern: [[0, 1]] }, 'RANGE', 'interventions[0].pattern[0][1] is 1; expected 0'],
  [{ layer: 0, pattern: [[1]], positions: [0, 1] }, 'SHAPE', 'interventions[0].pattern is of 1'],
  [
    { layer: 0, pattern: [[1, 0, 0, 0, 0, 0, 0]], positions: [6] },
    'RANGE',
    'interventions[0].pattern[0][0] is 1; expected 0, which position 6 does not see',
  ],
  [
    { layer: 0, pattern: [[1], [0, 0, 0.5]], positions: [0, 2] },
    'RANGE',
    'the sum of interventions[0].pattern[1] is 0.5',
  ],
  [
    {
      layer: 0,
      pattern: [
        [0, 0, 1],
        [0, 2],
      ],
      positions: [2, 1],
    },
    'RANGE',
    'interventions[0].pattern[1][1] is 2',
  ],
  [
    { layer: 0, pattern: [[1], [1]], positions: [0, 0] },
    'RANGE',
    'interventions[0].positions[1] is 0; expected each position once',
  ],
  [
    { layer: 0, patch: 'z', from: { ...trace, positions: [3, 3] } },
    'RANGE',
    'interventions[0].from.positions[1] is 3; expected each position once',
  ],
  [{ temperature: -1 }, 'RANGE', 'interventions[0].temperature is -1'],
  [{ head: 1, temperature: 1 }, 'ARG', 'interventions[0].head is given without a layer'],
  [{ layer: 0, add: 5 }, 'ARG', 'interventions[0].add is 5; expected an array of numbers'],
  [{ layer: 0, add: [1, 2] }, 'SHAPE', 'interventions[0].add is of 2 numbers; expected 32'],
  [{ layer: 0, add: vector, at: 'q' }, 'ARG', 'interventions[0].at is "q"'],
  [{ layer: 0, head: 0, add: vector }, 'ARG', 'interventions[0].head is given with resid_pre'],
  [{ layer: 0, add: vector, gain: Infinity }, 'RANGE', 'interventions[0].gain is Infinity'],
  [{ layer: 0, gain: 1e39 }, 'RANGE', 'interventions[0].gain is 1e+39; expected a finite number'],
  [{ layer: 0, add: vector, gain: -1e308 }, 'RANGE', 'interventions[0].gain is -1e+308'],
  ...[1e308, -1e39, NaN, -Infinity].map((x) => [
    { layer: 0, add: Array.from(vector, (_, c) => (c === 7 ? x : 0)) },
    'RANGE',
    `interventions[0].add[7] is ${x}; expected a finite number`,
  ]),
  [{ layer: 0, add: ['1'] }, 'ARG', 'interventions[0].add[0] is "1"; expected a number'],
  [
    { layer: 0, add: vector.with(9, 1e30), gain: 1e30 },
    'RANGE',
    'interventions[0].add[9] times interventions[0].gain is 1.00',
  ],
  ...[1e308, NaN, Infinity].map((x) => [
    // layer 0, the second position, the first channel of head 0
    { layer: 0, patch: 'z', from: { ...trace, z: Array.from(trace.z).with(width, x) } },
    'RANGE',
    `interventions[0].from.z[${width}] is ${x}; expected a finite number`,
  ]),
  [
    { layer: 0, patch: 'pattern', from: { ...trace, pattern: trace.pattern.map(() => NaN) } },
    'RANGE',
    'interventions[0].from.pattern[0] is NaN; expected a weight from 0 to 1',
  ],
  [{ layer: 0, patch: 'z' }, 'ARG', 'interventions[0].from is undefined'],
  [{ layer: 0, patch: 'q', from: trace }, 'ARG', 'interventions[0].patch is "q"'],
  [{ layer: 0, patch: 'mlp_out', from: trace }, 'ARG', 'interventions[0].from is without mlp_out'],
  [{ layer: 0, patch: 'z', from: short }, 'RANGE', 'interventions[0].from is of the layers 2'],
  [
    { layer: 0, patch: 'z', from: trace, positions: [2] },
    'RANGE',
    'interventions[0].positions is 2',
  ],
  [
    { layer: 0, patch: 'z', from: { ...trace, z: trace.z.slice(1) } },
    'SHAPE',
    'interventions[0].from.z is of',
  ],
];

for (const [entry, code, message] of ENTRIES)
  test(`refused: ${message}`, () => {
    model.intervene([{ layer: 1, gain: 0.5 }]);
    const before = model.interventions;
    assert.throws(
      () => model.intervene([entry]),
      (error) => {
        assert.equal(error.name, 'ClearheadError');
        assert.equal(error.code, code, error.message);
        assert.ok(error.message.startsWith(message), error.message);
        return true;
      },
    );
    assert.equal(model.interventions, before);
  });

test('own rows and a temperature of 0 or Infinity are refused in any order', () => {
  const rows = { layer: 0, head: 1, pattern: [[1]] };
  for (const temperature of [0, Infinity]) {
    assert.throws(() => model.intervene([rows, { temperature }]), { code: 'RANGE' });
    model.intervene([rows]);
    assert.throws(() => model.setTemperature(temperature, 0, 1), {
      code: 'RANGE',
      message: /the temperature of layer 0, head 1 is (0|Infinity)/,
    });
    assert.equal(model.temperature(0, 1), 1);
  }
  model.intervene([]);
});

test('a list is as it was given, whatever happens to its arrays later', () => {
  const add = new Float32Array(32).fill(2);
  const read = () => {
    model.cache.clear();
    return model.prefill([4, 3, 2]);
  };
  model.intervene([{ layer: 1, add }]);
  const want = read();
  add.fill(100);
  sameBits(read(), want);
  model.setTemperature(2, 0, 0);
  model.setTemperature(1);
  sameBits(read(), want);
  assert.equal(model.interventions[0].add[0], 2);
  model.intervene(model.interventions);
  sameBits(read(), want);
  model.intervene([]);
});

test('the list of now has the arrays as they were given', () => {
  const positions = [1, 2];
  const keys = [0];
  const rows = [[1], [0.5, 0.5]];
  const from = { ...trace, z: trace.z.slice(), positions: [1, 3] };
  model.intervene([
    { layer: 0, gain: 0, positions },
    { layer: 0, knockOut: { keys } },
    { layer: 1, pattern: rows },
    { layer: 0, patch: 'z', from },
  ]);
  const before = structuredClone(model.interventions);
  positions.push(3);
  keys[0] = 7;
  rows[1][0] = 1;
  from.z.fill(99);
  from.positions[0] = 2;
  assert.deepEqual(model.interventions, before);
  model.intervene([]);
});

test('a hole in a list is refused', () => {
  // eslint-disable-next-line no-sparse-arrays
  assert.throws(() => model.intervene([, { layer: 0, gain: 0 }]), {
    code: 'ARG',
    message: /^interventions\[0\] is undefined/,
  });
});

test('options of a trace are refused by name, and a disposed model refuses all', async () => {
  for (const [options, code, message] of [
    [undefined, 'ARG', 'record is undefined'],
    [{ record: 'z' }, 'ARG', 'record is "z"; expected an array'],
    [{ record: [] }, 'SHAPE', 'record is an array of 0'],
    [{ record: ['q'] }, 'ARG', 'record[0] is "q"'],
    [{ record: [undefined] }, 'ARG', 'record[0] is undefined'],
    [{ record: ['z'], layers: [7] }, 'RANGE', 'layers[0] is 7'],
    [{ record: ['z'], positions: [4] }, 'RANGE', 'positions[0] is 4'],
    [{ record: ['z'], positions: 'first' }, 'ARG', 'positions is "first"'],
    [{ record: ['z'], maxBytes: 0 }, 'RANGE', 'maxBytes is 0'],
    [{ record: ['z'], onPart: 1 }, 'ARG', 'onPart is 1'],
    [{ record: ['z'], signal: 1 }, 'ARG', 'signal is 1'],
    [{ record: ['z'], recrod: 1 }, 'ARG', 'options is given "recrod"'],
  ])
    await assert.rejects(model.trace([1, 2, 3, 4], options), (error) => {
      assert.equal(error.code, code, error.message);
      assert.ok(error.message.startsWith(message), error.message);
      return true;
    });
  const own = await loadModel(asSafetensors(tiny(configs.qwen2)), { engine });
  own.dispose();
  assert.throws(() => own.intervene([]), { code: 'DISPOSED' });
  assert.throws(() => own.traceBytes([1], { record: ['z'] }), { code: 'DISPOSED' });
  await assert.rejects(own.trace([1], { record: ['z'] }), { code: 'DISPOSED' });
});
