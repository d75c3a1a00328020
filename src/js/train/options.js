/** Reads and checks the sizes of a model to be trained, and the options of its trainer. */
import { choice, integer, number, read } from '../check.js';
import { describe, refuse } from '../errors.js';

/**
 * @typedef {import('./types.d.ts').TrainConfig} TrainConfig
 * @typedef {import('./types.d.ts').TrainOptions} TrainOptions
 */

export const ACTIVATIONS = /** @type {const} */ (['silu', 'gelu', 'gelu_tanh']);

/**
 * A finite number between two bounds, which it may reach.
 * @param {string} name
 * @param {unknown} x
 * @param {number} min
 * @param {number} max
 * @param {string} expected
 */
function between(name, x, min, max, expected) {
  const value = number(name, x);
  return value >= min && value <= max ? value : refuse('RANGE', name, value, expected);
}

const MAX = Number.MAX_VALUE;

/** @param {string} name @param {unknown} x */
const positive = (name, x) => between(name, x, Number.MIN_VALUE, MAX, 'a finite number above 0');

/** @param {string} name @param {unknown} x */
const notNegative = (name, x) => between(name, x, 0, MAX, 'a finite number, at least 0');

/** At least 0 and below 1. @param {string} name @param {unknown} x */
const share = (name, x) =>
  between(name, x, 0, 1 - Number.EPSILON, 'a number from 0 to 1, without 1');

/**
 * @param {TrainConfig} config
 * @returns {import('./types.d.ts').TrainedConfig}
 */
export function readConfig(config) {
  const o = read('config', config, [
    ...['vocab', 'modelDim', 'layers', 'heads', 'kvHeads', 'headDim', 'ffnDim'],
    ...['ropeTheta', 'normEps', 'activation', 'tiedOutput'],
  ]);
  const layers = integer('layers', o.layers, 1);
  const modelDim = integer('modelDim', o.modelDim, 1);
  const heads = integer('heads', o.heads, 1);
  const kvHeads = integer('kvHeads', o.kvHeads ?? heads, 1);
  if (heads % kvHeads) refuse('SHAPE', 'kvHeads', kvHeads, `a divisor of heads, ${heads}`);
  if (o.headDim === undefined && modelDim % heads)
    refuse('SHAPE', 'modelDim', modelDim, `a multiple of heads, ${heads}, or headDim`);
  const headDim = integer('headDim', o.headDim ?? modelDim / heads, 2);
  if (headDim % 2) refuse('SHAPE', 'headDim', headDim, 'an even number, for rotary positions');
  return Object.freeze({
    vocab: integer('vocab', o.vocab, 1),
    modelDim,
    layers,
    heads,
    kvHeads,
    headDim,
    ffnDim: integer('ffnDim', o.ffnDim, 0),
    ropeTheta: positive('ropeTheta', o.ropeTheta ?? 10000),
    normEps: notNegative('normEps', o.normEps ?? 1e-5),
    activation: ACTIVATIONS[choice('activation', o.activation, ...ACTIVATIONS)],
    tiedOutput: choice('tiedOutput', o.tiedOutput, true, false) === 0,
  });
}

/**
 * @param {TrainOptions['optimizer']} optimizer
 * @returns {import('./types.d.ts').TrainedOptimizer}
 */
function readOptimizer(optimizer) {
  const o = read('optimizer', optimizer, [
    ...['learningRate', 'minLearningRate', 'warmup', 'steps'],
    ...['beta1', 'beta2', 'epsilon', 'weightDecay', 'clip'],
  ]);
  const learningRate = notNegative('learningRate', o.learningRate ?? 1e-3);
  const steps = integer('steps', o.steps ?? 1000, 1);
  const warmup = integer('warmup', o.warmup ?? Math.min(100, steps), 0);
  if (warmup > steps) refuse('RANGE', 'warmup', warmup, `at most steps, ${steps}`);
  const minLearningRate = notNegative('minLearningRate', o.minLearningRate ?? learningRate / 10);
  if (minLearningRate > learningRate)
    refuse('RANGE', 'minLearningRate', minLearningRate, `at most learningRate, ${learningRate}`);
  return Object.freeze({
    learningRate,
    minLearningRate,
    warmup,
    steps,
    beta1: share('beta1', o.beta1 ?? 0.9),
    beta2: share('beta2', o.beta2 ?? 0.95),
    epsilon: positive('epsilon', o.epsilon ?? 1e-8),
    weightDecay: notNegative('weightDecay', o.weightDecay ?? 0.1),
    clip: notNegative('clip', o.clip ?? 1),
  });
}

/** @param {unknown} engine @param {unknown} threads */
export function checkThreads(engine, threads) {
  if (engine !== undefined && threads !== undefined)
    refuse('ARG', 'threads', describe(threads), 'none beside engine, which has its own');
}

/** @param {TrainOptions} options */
export function readOptions(options) {
  const o = read('options', options, [
    ...['engine', 'threads', 'seed', 'batch', 'context', 'initialDeviation', 'optimizer'],
  ]);
  return {
    engine: o.engine,
    threads: o.threads,
    seed: integer('seed', o.seed ?? 0, 0, Number.MAX_SAFE_INTEGER),
    batch: integer('batch', o.batch, 1),
    context: integer('context', o.context, 1),
    initialDeviation: notNegative('initialDeviation', o.initialDeviation ?? 0.02),
    optimizer: readOptimizer(o.optimizer),
  };
}
