/** Gradients of random models against the textbook. CLEARHEAD_SEED sets where the seeds begin. */
import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { createTrainer } from '../../src/js/train/index.js';
import { repeats } from '../support/campaign.js';
import { random } from '../support/random.js';
import { distance } from '../support/train/differences.js';
import { modelGradient } from '../support/train/model.js';
import { randomTokens } from '../support/train/tasks.js';

const count = repeats(60, 1e4);
const first = Number(process.env.CLEARHEAD_SEED ?? 1000);
/**
 * Of a parameter's largest gradient. Norms of two channels or three divide by numbers near 0, so
 * such layers multiply the rounding of those before them a thousandfold.
 */
const BOUND = 5e-4;
/** Smaller gradients than this part of the model's largest one are mostly rounding. */
const SMALL = 1e-6;

function randomModel(r) {
  const kvHeads = r.integer(1, 3);
  return {
    vocab: r.integer(1, 40),
    modelDim: r.integer(1, 40),
    layers: r.integer(1, 3),
    heads: kvHeads * r.integer(1, 3),
    kvHeads,
    headDim: 2 * r.integer(1, 12),
    ffnDim: r.chance(0.3) ? 0 : r.integer(1, 50),
    activation: r.pick(['silu', 'gelu', 'gelu_tanh']),
    tiedOutput: r.chance(0.5),
    ropeTheta: r.pick([10, 1e4]),
    normEps: r.pick([1e-5, 1e-2]),
  };
}

const largest = (x) => x.reduce((max, value) => Math.max(max, Math.abs(value)), 0);

/** The largest distance of a gradient, relative to the largest number of its parameter. */
async function compare(engine, seed) {
  const r = random(seed);
  const config = randomModel(r);
  const [batch, context] = [r.integer(1, 4), r.integer(1, 40)];
  const options = { engine, seed, batch, context, initialDeviation: 0.3 };
  const trainer = await createTrainer(config, { ...options, optimizer: { learningRate: 0 } });
  const all = randomTokens(seed, batch, context, config.vocab);
  const inputs = all.filter((_, i) => i % (context + 1) < context);
  const targets = inputs.map((_, i) => (i && r.chance(0.2) ? -1 : r.integer(0, config.vocab - 1)));
  const { loss } = await trainer.step(inputs, { targets });
  const given = new Map(trainer.parameters().map(({ name, data }) => [name, data]));
  const want = modelGradient(trainer.config, given, inputs, targets, context);
  assert.ok(Math.abs(loss - want.loss) <= 1e-6 * (1 + loss), `seed ${seed}: loss ${loss}`);
  const limit = SMALL * Math.max(...[...want.gradients.values()].map(largest));
  const far = trainer.gradients().map(({ name, data }) => {
    const right = want.gradients.get(name);
    return { name, seed, distance: largest(right) > limit ? distance(data, right) : 0 };
  });
  trainer.dispose();
  return far.sort((a, b) => b.distance - a.distance)[0];
}

test(`${count} random models have the textbook’s losses and gradients`, async (t) => {
  const engine = await init({ layers: true, variant: 'simd' });
  let worst = { distance: 0 };
  for (let seed = first; seed < first + count; seed++) {
    const found = await compare(engine, seed);
    assert.ok(found.distance <= BOUND, JSON.stringify(found));
    if (found.distance > worst.distance) worst = found;
  }
  t.diagnostic(`worst ${JSON.stringify(worst)}`);
});
