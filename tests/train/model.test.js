/** The gradient of a whole model, against the textbook in double and central differences. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTrainer } from '../../src/js/train/index.js';
import { random } from '../support/random.js';
import { distance } from '../support/train/differences.js';
import { modelGradient } from '../support/train/model.js';
import { randomTokens, tiny } from '../support/train/tasks.js';

/** Of the largest gradient of a parameter: some hundred roundings of 2⁻²⁴ on the way through. */
const BOUND = 2e-5;

const configs = {
  'grouped heads, tied output': tiny,
  'one head, no feed-forward': { vocab: 7, modelDim: 8, layers: 1, heads: 1, ffnDim: 0 },
  'attention alone, two layers': { ...tiny, ffnDim: 0 },
  'an output matrix of its own, GELU': { ...tiny, tiedOutput: false, activation: 'gelu' },
  'GELU by tanh, other constants': {
    ...tiny,
    activation: 'gelu_tanh',
    ropeTheta: 100,
    normEps: 1e-3,
  },
};

/** A trainer after one step, which kept its parameters: its rate is 0. */
async function stepped(config, { batch, context, targets, seed = 5 }) {
  const trainer = await createTrainer(config, {
    seed,
    batch,
    context,
    initialDeviation: 0.3,
    optimizer: { learningRate: 0 },
  });
  // norms of other numbers than 1
  const r = random(seed);
  trainer.setParameters(
    trainer.parameters().map((parameter) => ({
      ...parameter,
      data: parameter.data.map((x) => (parameter.shape.length === 1 ? 1 + r.normal() / 4 : x)),
    })),
  );
  const all = randomTokens(seed, batch, context, config.vocab);
  const inputs = all.filter((_, i) => i % (context + 1) < context);
  const next = all.filter((_, i) => i % (context + 1) > 0);
  const result = await (targets
    ? trainer.step(inputs, { targets: targets(next) })
    : trainer.step(all));
  return { trainer, result, inputs, targets: targets ? targets(next) : next };
}

const dataOf = (parameters) => new Map(parameters.map(({ name, data }) => [name, data]));

function check({ trainer, result, inputs, targets }, context) {
  const given = dataOf(trainer.parameters());
  const { loss, gradients } = modelGradient(trainer.config, given, inputs, targets, context);
  assert.ok(Math.abs(result.loss - loss) <= 1e-6 * loss, `${result.loss} is not ${loss}`);
  let squares = 0;
  for (const [name, data] of dataOf(trainer.gradients())) {
    const far = distance(data, gradients.get(name));
    assert.ok(far <= BOUND, `${name}: ${far}`);
    squares += gradients.get(name).reduce((sum, x) => sum + x * x, 0);
  }
  const norm = Math.sqrt(squares);
  assert.ok(Math.abs(result.gradNorm - norm) <= BOUND * norm, `${result.gradNorm} is not ${norm}`);
}

describe('the gradient of every parameter is the textbook’s', () => {
  for (const [name, config] of Object.entries(configs))
    test(name, async () => check(await stepped(config, { batch: 3, context: 9 }), 9));

  test('where some tokens have no target', async () => {
    const targets = (next) => next.map((token, i) => (i % 3 ? token : -1));
    check(await stepped(tiny, { batch: 2, context: 8, targets }), 8);
  });

  test('where the batch passes in several parts, the last of them smaller', async () => {
    // 1,024 tokens make a part: 8 sequences
    const config = { ...tiny, layers: 1 };
    check(await stepped(config, { batch: 17, context: 120 }), 120);
  });

  test('with a context longer than a part', async () => {
    const config = { vocab: 5, modelDim: 4, layers: 1, heads: 1, ffnDim: 3 };
    check(await stepped(config, { batch: 2, context: 1100 }), 1100);
  });
});

test('the textbook’s gradient of a model is that of central differences', async () => {
  const { trainer, inputs, targets } = await stepped(tiny, { batch: 2, context: 5 });
  const given = new Map(
    trainer.parameters().map(({ name, data }) => [name, Float64Array.from(data)]),
  );
  const lossAt = () => modelGradient(trainer.config, given, inputs, targets, 5).loss;
  const { gradients } = modelGradient(trainer.config, given, inputs, targets, 5);
  const r = random(3);
  for (const [name, data] of given)
    for (let k = 0; k < 4; k++) {
      const at = r.integer(0, data.length - 1);
      const before = data[at];
      const losses = [1e-5, -1e-5].map((by) => {
        data[at] = before + by;
        return lossAt();
      });
      data[at] = before;
      const slope = (losses[0] - losses[1]) / 2e-5;
      // the step's square, and 2⁻⁵³ of the loss over the step
      assert.ok(Math.abs(slope - gradients.get(name)[at]) < 1e-8, `${name}[${at}]: ${slope}`);
    }
});
