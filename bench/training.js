/** A step of training beside the limit of multiply-adds, with one thread and with two. */
import { init } from '../src/js/index.js';
import { createTrainer } from '../src/js/train/index.js';
import { random } from '../tests/support/random.js';
import { MODEL, PHASES } from '../training/stories/recipe.js';
import { open } from './limits/limits.js';
import { APART, FUSED } from './limits/names.js';
import { reason } from './side.js';
import { spread } from './spread.js';

/** The model that is trained on stories, in the phase with most of its steps. */
const CONFIG = MODEL;
const { batch, context } = PHASES.reduce((longest, phase) =>
  phase.steps > longest.steps ? phase : longest,
);
const SHAPE = { batch, context };

/** Calls of each form of a limit beside a step. */
const CALLS = 40;

/**
 * Operations of a step: 6 for each parameter and token. Attention takes 4 forward and 10 backward
 * for each channel and each pair of query and key.
 * @param {number} parameters
 */
function operations(parameters) {
  const pairs = (batch * context * (context + 1)) / 2;
  return 6 * parameters * batch * context + 14 * CONFIG.layers * CONFIG.modelDim * pairs;
}

/** Operations a second of the fastest form. @param {{ forms: any[], amount: number }} limit */
function fastest({ forms, amount }) {
  let best = Infinity;
  for (const { run } of forms)
    for (let call = 0; call < CALLS; call++) {
      const started = performance.now();
      run();
      best = Math.min(best, performance.now() - started);
    }
  return (1000 * amount) / best;
}

/** @param {'simd' | 'relaxed'} variant @param {number} threads */
async function trainerOf(variant, threads) {
  const engine = await init({ layers: true, variant, threads });
  if (engine.info.threads !== threads) throw new Error(engine.info.why);
  return { engine, trainer: await createTrainer(CONFIG, { ...SHAPE, engine }) };
}

/**
 * Rounds in which each takes one step, between two runs of the limit.
 * @param {{ rounds: number, load: (url: URL) => Promise<any> }} how
 * @returns {Promise<any[]>} rows: { variant, threads, seconds, share, times } or { …, why }; share
 *   is of the limit of one thread and the same build, times of the speed of one thread
 */
export async function measureTraining({ rounds, load }) {
  const limits = await open({ load, lean: true });
  const rows = [];
  for (const [variant, name] of /** @type {['simd' | 'relaxed', string][]} */ ([
    ['simd', APART],
    ['relaxed', FUSED],
  ])) {
    const limit = limits.find((each) => each.name === name)?.prepare({ section: 'training' });
    const both = await Promise.all([1, 2].map((threads) => trainerOf(variant, threads))).catch(
      (error) => reason(error),
    );
    if (typeof both === 'string' || !limit) {
      rows.push({ variant, threads: 1, why: limit ? both : 'its limit is not built' });
      continue;
    }
    const r = random(1);
    const length = SHAPE.batch * (SHAPE.context + 1);
    const tokens = Int32Array.from({ length }, () => r.integer(0, CONFIG.vocab - 1));
    const seconds = both.map(() => /** @type {number[]} */ ([]));
    const shares = both.map(() => /** @type {number[]} */ ([]));
    // the first step is not counted: V8 replaces its first, quick compilation
    for (let round = -1; round < rounds; round++)
      for (const [at, { trainer }] of both.entries()) {
        const before = fastest(limit);
        const started = performance.now();
        await trainer.step(tokens);
        const time = (performance.now() - started) / 1000;
        const speed = operations(trainer.parameterCount) / time;
        if (round < 0) continue;
        seconds[at].push(time);
        shares[at].push(speed / Math.max(before, fastest(limit)));
      }
    both.forEach(({ engine }, at) => {
      rows.push({
        variant,
        threads: at + 1,
        seconds: spread(seconds[at], false),
        share: spread(shares[at]),
        times: spread(seconds[at].map((time, round) => seconds[0][round] / time)),
        tokens: SHAPE.batch * SHAPE.context,
      });
      engine.dispose();
    });
  }
  return rows;
}

/** @param {any[]} rows of measureTraining */
export function trainingLines(rows) {
  const { vocab, modelDim, layers } = CONFIG;
  const model = `${layers} layers of ${modelDim}, ${vocab} tokens`;
  const head = `A step of ${model}, batch ${SHAPE.batch}×${SHAPE.context}`;
  const lines = rows.map(({ variant, threads, seconds, share, times, tokens, why }) => {
    const who = `  ${variant}, ${threads} thread${threads > 1 ? 's' : ''}`;
    if (why) return `${who}: ${why}`;
    const speed = (tokens / seconds.median).toFixed(0);
    const time = `${(1000 * seconds.median).toFixed(0)} ms, ${speed} tokens/s`;
    const gain = threads > 1 ? `, ${times.median.toFixed(2)} times one thread` : '';
    return `${who}: ${time}, ${share.median.toFixed(2)} of the limit of one thread${gain}`;
  });
  return `${[head, ...lines].join('\n')}\n`;
}
