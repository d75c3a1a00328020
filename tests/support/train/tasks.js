/** Data for small models to learn, from integers alone. */
import { random } from '../random.js';

/** A model that has every kind of parameter. */
export const tiny = {
  vocab: 13,
  modelDim: 12,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headDim: 6,
  ffnDim: 20,
};

/** `sequences` of context + 1 random tokens. */
export function randomTokens(seed, sequences, context, vocab) {
  const r = random(seed);
  return Int32Array.from({ length: sequences * (context + 1) }, () => r.integer(0, vocab - 1));
}

/** Each sequence repeats its first `period` random tokens. */
export function repeated(seed, sequences, context, vocab, period) {
  const tokens = randomTokens(seed, sequences, context, vocab);
  return tokens.map((token, at) => {
    const i = at % (context + 1);
    return tokens[at - i + (i % period)];
  });
}

/** FNV-1a of the bytes of arrays. */
export function hashOf(...arrays) {
  let hash = 0x811c9dc5;
  for (const { buffer, byteOffset, byteLength } of arrays)
    for (const byte of new Uint8Array(buffer, byteOffset, byteLength))
      hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** How the short training goes. */
export const shortOptions = {
  seed: 7,
  batch: 16,
  context: 17,
  initialDeviation: 0.3,
  optimizer: { learningRate: 0.02, warmup: 10, steps: 200, weightDecay: 0.01 },
};

/** @param {number} step */
export const shortTokens = (step) =>
  repeated(step, shortOptions.batch, shortOptions.context, tiny.vocab, 3);

/** 200 steps of a tiny model on repeated sequences: a hash of its state, and the losses. */
export async function shortTraining(createTrainer, engine) {
  const trainer = await createTrainer(tiny, { ...shortOptions, engine });
  const numbers = [];
  for (let step = 0; step < 200; step++) {
    const { loss, gradNorm } = await trainer.step(shortTokens(step));
    numbers.push(loss, gradNorm);
  }
  const { parameters, firstMoments, secondMoments } = trainer.state();
  trainer.dispose();
  const hash = hashOf(parameters, firstMoments, secondMoments, Float64Array.from(numbers));
  return { hash, first: numbers[0], last: numbers.at(-2) };
}
