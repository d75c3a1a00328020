/**
 * The gradient of a small Llama beside other libraries: one layer, its loss and the derivative by
 * every parameter. Ours also does the step of AdamW.
 */
import { init } from '../src/js/index.js';
import { createTrainer } from '../src/js/train/index.js';
import { random } from '../tests/support/random.js';
import { reason } from './side.js';
import { spread } from './spread.js';

/** A layer with as many channels as the model in training.js, and a small vocabulary. */
const CONFIG = { vocab: 32, modelDim: 128, layers: 1, heads: 8, ffnDim: 352 };
const BATCH = 2;
const CONTEXT = 512;

/** Of the largest gradient of a parameter: all compute in float32. */
const TOLERANCE = 1e-4;

/**
 * @typedef {object} Task
 * @property {import('../src/js/train/types.d.ts').TrainedConfig} config
 * @property {import('../src/js/train/types.d.ts').Parameter[]} parameters
 * @property {Int32Array} tokens (batch, context)
 * @property {Int32Array} targets (batch, context)
 * @property {Float32Array} cos (context, headDim/2)
 * @property {Float32Array} sin (context, headDim/2)
 * @property {Float32Array} hidden (context, context), added to scores
 *
 * @typedef {{ loss: number, gradients: Map<string, Float32Array> }} Gradient
 */

/** A trainer whose parameters stay, as its rate is 0. @param {'simd' | 'relaxed'} variant */
async function openOurs(variant) {
  const engine = await init({ layers: true, variant });
  const trainer = await createTrainer(CONFIG, {
    ...{ engine, batch: BATCH, context: CONTEXT, initialDeviation: 0.1 },
    optimizer: { learningRate: 0 },
  });
  return { engine, trainer };
}

/** @returns {Promise<{ task: Task, right: Map<string, Float32Array> }>} */
async function taskOf({ engine, trainer }) {
  const r = random(1);
  const ids = () =>
    Int32Array.from({ length: BATCH * CONTEXT }, () => r.integer(0, CONFIG.vocab - 1));
  const [tokens, targets] = [ids(), ids()];
  const { cos, sin } = engine.ropeTable({ dim: trainer.config.headDim, positions: CONTEXT });
  const hidden = Float32Array.from({ length: CONTEXT ** 2 }, (_, at) =>
    at % CONTEXT > Math.floor(at / CONTEXT) ? -1e9 : 0,
  );
  const parameters = trainer.parameters();
  await trainer.step(tokens, { targets });
  const right = new Map(trainer.gradients().map(({ name, data }) => [name, data]));
  return {
    task: { config: trainer.config, parameters, tokens, targets, cos, sin, hidden },
    right,
  };
}

/** The largest difference of two gradients. @param {Gradient['gradients']} got */
function distance(got, right) {
  let far = 0;
  for (const [name, values] of right) {
    const size = values.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
    values.forEach((x, at) => (far = Math.max(far, Math.abs(got.get(name)[at] - x) / size)));
  }
  return far;
}

/**
 * Rounds in which each takes a turn.
 * @param {{ rounds: number, versions: Record<string, string> }} how
 * @returns {Promise<any[]>} rows: { name, milliseconds, times } or { name, why }; times is how many
 *   times as long as the fastest of ours
 */
export async function measureBlock({ rounds, versions }) {
  const contenders = [];
  const rows = [];
  const simd = await openOurs('simd');
  const { task, right } = await taskOf(simd);
  const add = (name, run) => contenders.push({ name, run, times: [] });
  const ours = ({ trainer }) => trainer.step(task.tokens, { targets: task.targets });
  add('clearhead simd', () => ours(simd));
  const relaxed = await openOurs('relaxed').catch((error) => {
    rows.push({ name: 'clearhead relaxed', why: reason(error) });
  });
  if (relaxed) add('clearhead relaxed', () => ours(relaxed));
  for (const name of ['tfjs', 'jax'])
    try {
      const peer = await (await import(`./peers/block-${name}.js`)).open({ versions });
      const { run } = await peer.prepare(task);
      const far = distance((await run()).gradients, right);
      if (!(far <= TOLERANCE)) throw new Error(`wrong: ${far} of the largest gradient`);
      add(peer.name, run);
    } catch (error) {
      rows.push({ name, why: reason(error) });
    }
  for (let round = -1; round < rounds; round++)
    for (const { run, times } of contenders) {
      const started = performance.now();
      await run();
      if (round >= 0) times.push(performance.now() - started);
    }
  const fastest = (round) =>
    Math.min(
      ...contenders.filter(({ name }) => /^clearhead/.test(name)).map(({ times }) => times[round]),
    );
  for (const { name, times } of contenders)
    rows.push({
      name,
      milliseconds: spread(times, false),
      times: spread(times.map((time, round) => time / fastest(round))),
    });
  return rows;
}

/** @param {any[]} rows of measureBlock */
export function blockLines(rows) {
  const { modelDim, heads, ffnDim } = CONFIG;
  const layer = `a layer of ${modelDim}, ${heads} heads, ${ffnDim}`;
  const head = `The gradient of ${layer}, batch ${BATCH}×${CONTEXT}`;
  const lines = rows.map(({ name, milliseconds, times, why }) =>
    why
      ? `  ${name}: ${why}`
      : `  ${name}: ${milliseconds.median.toFixed(0)} ms, ${times.median.toFixed(2)} times ours`,
  );
  return `${[head, ...lines].join('\n')}\n`;
}
