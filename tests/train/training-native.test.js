/**
 * Training built natively has the bits of the simd module, under gcc and under sanitizers that
 * watch every access. `scripts/build.sh native` builds the programs. A long run has MSan too, and
 * as many steps under the thread sanitizer as elsewhere.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createTrainer } from '../../src/js/train/index.js';
import { sameArray } from '../support/bits.js';
import { repeats } from '../support/campaign.js';
import { Answer, Stream } from '../support/stream.js';
import { randomTokens, shortOptions, shortTokens, tiny } from '../support/train/tasks.js';

const ACTIVATIONS = ['silu', 'gelu', 'gelu_tanh'];

/** Each sequence without its last token, or without its first. */
const cut = (tokens, context, from) =>
  tokens.filter((_, at) => at % (context + 1) >= from && at % (context + 1) < context + from);

/** A training as run_train.c reads it. */
function streamOf({ config: c, optimizer: o, batch, context, seed }, deviation, batches) {
  const { layers, modelDim, heads, kvHeads, headDim, ffnDim, vocab } = c;
  const stream = new Stream().int(
    ...[layers, modelDim, heads, kvHeads, headDim, ffnDim, vocab, context, batch],
    ...[Number(c.tiedOutput), ACTIVATIONS.indexOf(c.activation), batches.length],
  );
  stream.array(
    Float64Array.of(
      ...[seed, deviation, c.ropeTheta, c.normEps, o.clip, o.learningRate, o.minLearningRate],
      ...[o.warmup, o.steps, o.weightDecay, o.beta1, o.beta2, o.epsilon],
    ),
  );
  for (const tokens of batches)
    stream.array(cut(tokens, context, 0)).array(cut(tokens, context, 1));
  return stream.bytes();
}

/** The thread sanitizer is slow. */
const FEWER = repeats(20, 200);
const daily = ['asan', 'tsan', 'gcc'];

const trainings = {
  'the short training': { config: tiny, options: shortOptions, steps: 200, tokens: shortTokens },
  // one head wider than a panel, odd sizes, GELU, an output matrix of its own, several parts
  'a model of odd sizes': {
    config: {
      ...{ vocab: 9, modelDim: 10, layers: 1, heads: 3, kvHeads: 3, headDim: 18, ffnDim: 7 },
      ...{ activation: 'gelu', tiedOutput: false },
    },
    options: { seed: 3, batch: 5, context: 300, initialDeviation: 0.3 },
    steps: 2,
    tokens: (step) => randomTokens(step, 5, 300, 9),
  },
};

for (const [name, { config, options, steps: all, tokens }] of Object.entries(trainings))
  for (const program of repeats(daily, [...daily, 'msan']))
    test(`${name}: native_train_${program} has the bits of the simd module`, async () => {
      const steps = program === 'tsan' ? Math.min(all, FEWER) : all;
      const path = `../../build/native/native_train_${program}`;
      const file = fileURLToPath(new URL(path, import.meta.url));
      assert.ok(existsSync(file), `${file} is missing: scripts/build.sh native`);
      const trainer = await createTrainer(config, options);
      const batches = Array.from({ length: steps }, (_, step) => tokens(step));
      const { status, stdout, stderr } = spawnSync(file, {
        input: streamOf(trainer, options.initialDeviation, batches),
        maxBuffer: 2 ** 28,
        env: { ASAN_OPTIONS: 'detect_leaks=0' },
      });
      assert.deepEqual([status, String(stderr)], [0, '']);
      const answer = new Answer(stdout);
      for (const [step, batch] of batches.entries()) {
        const { loss, gradNorm } = await trainer.step(batch);
        const want = answer.nextArray(Float64Array, 2);
        sameArray(want, Float64Array.of(loss, gradNorm), `step ${step}`);
      }
      const { rho, chi, previousToken, induction } = trainer.heads(
        batches.at(-1).subarray(0, options.context + 1),
      );
      const heads = [...rho.keys()].flatMap((head) =>
        [rho, chi, previousToken, induction].map((score) => score[head]),
      );
      sameArray(answer.nextArray(Float64Array, heads.length), Float64Array.from(heads), 'heads');
      const { parameters, firstMoments, secondMoments } = trainer.state();
      for (const [of, values] of Object.entries({ parameters, firstMoments, secondMoments }))
        sameArray(answer.nextArray(Float32Array, values.length), values, of);
      trainer.dispose();
    });
