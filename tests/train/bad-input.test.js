/** Every argument that cannot be right is refused by name, with the value that came. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from '../../src/js/index.js';
import { createTrainer } from '../../src/js/train/index.js';
import { tiny } from '../support/train/tasks.js';

let engine;
before(async () => {
  engine = await init({ layers: true, variant: 'simd' });
});

const refused = (make, code, message) =>
  assert.rejects(make, { name: 'ClearheadError', code, message });

describe('createTrainer refuses', () => {
  const configs = [
    [{ vocab: 0 }, 'RANGE', /^vocab is 0; expected an integer from 1/],
    [{ layers: 1.5 }, 'RANGE', /^layers is 1.5;/],
    [{ ffnDim: undefined }, 'ARG', /^ffnDim is undefined but required;/],
    [{ ffnDim: -1 }, 'RANGE', /^ffnDim is -1; expected an integer from 0/],
    [{ kvHeads: 3 }, 'SHAPE', /^kvHeads is 3; expected a divisor of heads, 4$/],
    [{ headDim: 7 }, 'SHAPE', /^headDim is 7; expected an even number/],
    [
      { headDim: undefined, modelDim: 10 },
      'SHAPE',
      /^modelDim is 10; expected a multiple of heads/,
    ],
    [{ headDim: 2048 }, 'LIMIT', /^config is of 2 layers, 4\/2 heads of 2048/],
    [{ vocab: 2 ** 30 }, 'LIMIT', /^config is of 2 layers/],
    [{ ropeTheta: 0 }, 'RANGE', /^ropeTheta is 0; expected a finite number above 0/],
    [{ normEps: NaN }, 'RANGE', /^normEps is NaN;/],
    [{ activation: 'relu' }, 'ARG', /^activation is "relu"; expected "silu" or "gelu"/],
    [{ tiedOutput: 1 }, 'ARG', /^tiedOutput is 1; expected true or false/],
    [{ width: 3 }, 'ARG', /^config is given "width"; expected only vocab/],
  ];
  for (const [change, code, message] of configs)
    test(`config ${JSON.stringify(change)}`, () =>
      refused(
        createTrainer({ ...tiny, ...change }, { engine, batch: 1, context: 4 }),
        code,
        message,
      ));

  const options = [
    [{ batch: undefined }, 'ARG', /^batch is undefined but required;/],
    [{ context: 0 }, 'RANGE', /^context is 0;/],
    [{ seed: -1 }, 'RANGE', /^seed is -1; expected an integer from 0 to 9007199254740991/],
    [{ initialDeviation: -0.1 }, 'RANGE', /^initialDeviation is -0.1;/],
    [{ optimizer: 3 }, 'ARG', /^optimizer is 3; expected an object/],
    [{ optimizer: { lr: 1 } }, 'ARG', /^optimizer is given "lr"; expected only learningRate/],
    [{ optimizer: { beta1: 1 } }, 'RANGE', /^beta1 is 1; expected a number from 0 to 1, without 1/],
    [{ optimizer: { epsilon: 0 } }, 'RANGE', /^epsilon is 0;/],
    [{ optimizer: { clip: -1 } }, 'RANGE', /^clip is -1;/],
    [{ optimizer: { warmup: 0.5 } }, 'RANGE', /^warmup is 0.5;/],
    [
      { optimizer: { warmup: 20, steps: 10 } },
      'RANGE',
      /^warmup is 20; expected at most steps, 10/,
    ],
    [
      { optimizer: { learningRate: 1e-4, minLearningRate: 1e-2 } },
      'RANGE',
      /^minLearningRate is 0.01; expected at most learningRate, 0.0001$/,
    ],
    [{ optimizer: { warmup: 1001 } }, 'RANGE', /^warmup is 1001; expected at most steps, 1000/],
    [{ engine: {} }, 'ARG', /^engine is of type object; expected one of init/],
    [{ threads: 2 }, 'ARG', /^threads is 2; expected none beside engine, which has its own$/],
    [{ context: 2 ** 21 }, 'LIMIT', /^config is/],
  ];
  for (const [change, code, message] of options)
    test(`options ${JSON.stringify(change)}`, () =>
      refused(createTrainer(tiny, { engine, batch: 1, context: 4, ...change }), code, message));

  test('an engine without layers', async () =>
    refused(
      createTrainer(tiny, { engine: await init(), batch: 1, context: 4 }),
      'ARG',
      /^engine is without layers; expected one of init\(\{ layers: true \}\)/,
    ));
});

describe('a trainer refuses', () => {
  let trainer;
  before(async () => {
    trainer = await createTrainer(tiny, { engine, batch: 2, context: 4 });
  });
  const good = Int32Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);

  const steps = [
    [[new Float32Array(10)], 'ARG', /^tokens is Float32Array of 40 bytes; expected Int32Array/],
    [[good.subarray(1)], 'SHAPE', /^tokens is 9 long; expected 10 = batch\*\(context \+ 1\)/],
    [[good.map((x) => x + 4)], 'RANGE', /^tokens\[9\] is 13; expected a token from 0 to 12/],
    [[Int32Array.from(good).fill(-1)], 'RANGE', /^tokens\[0\] is -1;/],
    [
      [good, { targets: new Int32Array(8) }],
      'SHAPE',
      /^tokens is 10 long; expected 8 = batch\*context/,
    ],
    [
      [good.subarray(2), { targets: new Int32Array(7) }],
      'SHAPE',
      /^targets is 7 long; expected 8,/,
    ],
    [
      [good.subarray(2), { targets: new Int32Array(8).fill(-1) }],
      'ARG',
      /^targets is without any target; expected at least one/,
    ],
    [[good.subarray(2), { targets: new Int32Array(8).fill(-2) }], 'RANGE', /^targets\[0\] is -2;/],
    [[good, { heads: 1 }], 'ARG', /^heads is 1;/],
    [[good, { signal: 1 }], 'ARG', /^signal is 1;/],
  ];
  steps.forEach(([values, code, message], i) =>
    test(`bad step ${i}: ${message.source}`, async () => {
      const before = trainer.state();
      await refused(trainer.step(...values), code, message);
      assert.deepEqual(trainer.state(), before);
    }),
  );

  test('sequences of another length in an evaluation', () =>
    refused(
      trainer.evaluate(good.subarray(1)),
      'SHAPE',
      /^tokens is 9 long; expected a multiple of 5/,
    ));

  test('a state of another model', () => {
    const state = trainer.state();
    const short = { ...state, firstMoments: state.firstMoments.subarray(1) };
    assert.throws(() => trainer.restore(short), { code: 'SHAPE', message: /^firstMoments is/ });
    assert.throws(() => trainer.restore({ ...state, steps: -1 }), { code: 'RANGE' });
    assert.deepEqual(trainer.state(), state);
  });

  test('parameters with a name too few, too many or of another size', () => {
    const all = trainer.parameters();
    const refuses = (parameters, code, message) =>
      assert.throws(() => trainer.setParameters(parameters), { code, message });
    refuses(all.slice(1), 'ARG', /^model\.embed_tokens\.weight is undefined but required/);
    refuses([...all, { name: 'x', data: new Float32Array(1) }], 'ARG', /^parameters is with "x"/);
    const [first, ...rest] = all;
    refuses([{ ...first, data: new Float32Array(2) }, ...rest], 'SHAPE', /embed_tokens/);
    assert.deepEqual(trainer.parameters(), all);
  });
});
