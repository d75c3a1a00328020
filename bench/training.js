/** A step of training beside the limit of multiply-adds, with one thread and with two. */
import { init } from '../src/js/index.js';
import { createTrainer } from '../src/js/train/index.js';
import { random } from '../tests/support/random.js';
import { MODEL, PHASES } from '../training/stories/recipe.js';
import { finalists } from './limits/forms.js';
import { open } from './limits/limits.js';
import { APART, FUSED } from './limits/names.js';
import { reason } from './side.js';
import { spread } from './spread.js';
import { intervalsOf, undisturbedStep } from './undisturbed.js';

/** Of the phase with most steps. */
const { batch, context } = PHASES.reduce((longest, phase) =>
  phase.steps > longest.steps ? phase : longest,
);
const SHAPE = { batch, context };

/** Seconds in which each form of a limit warms up. */
const WARM = 0.1;

/**
 * Operations of a step: 6 for each parameter and token. Attention takes 4 forward and 10 backward
 * for each channel and each pair of query and key.
 * @param {number} parameters
 */
function operations(parameters) {
  const pairs = (batch * context * (context + 1)) / 2;
  return 6 * parameters * batch * context + 14 * MODEL.layers * MODEL.modelDim * pairs;
}

/** Mean seconds of a call. @param {{ run: () => any }} form @param {number} calls */
async function time({ run }, calls) {
  const started = performance.now();
  for (let call = 0; call < calls; call++) await run();
  return (performance.now() - started) / 1000 / calls;
}

/**
 * The runs of a limit beside a step.
 * @typedef {{
 *   amount: number,
 *   forms: { run: () => any, calls: number, seconds: number }[],
 *   fastest: number,
 * }} LimitRun amount: operations of a call; calls and seconds: those of a form so far; fastest:
 *   seconds of the fastest call of all
 */

/**
 * Runs the forms in turn, a call at a time. On average each has `seconds`.
 * @param {LimitRun} limit @param {number} seconds
 */
async function runForms(limit, seconds) {
  for (let spent = 0; spent < seconds * limit.forms.length;)
    for (const form of limit.forms) {
      const call = await time(form, 1);
      form.calls++;
      form.seconds += call;
      limit.fastest = Math.min(limit.fastest, call);
      spent += call;
    }
}

/**
 * A speed as a share of two limits. The steady one is the form with the best mean; the peak one is
 * the fastest call.
 * @param {number} speed operations a second
 * @param {LimitRun} limit
 */
export function stepShares(speed, { amount, forms, fastest }) {
  const mean = Math.min(...forms.map(({ seconds, calls }) => seconds / calls));
  return { steady: (speed * mean) / amount, peak: (speed * fastest) / amount };
}

/**
 * A step of each trainer, between two runs of the limit. A form of the limit has as long as the
 * first trainer's last step on average, half of it on either side. The trainers give the same bits.
 * @param {{
 *   trainers: any[],
 *   clocked: any,
 *   tokens: Int32Array,
 *   limit: { amount: number, forms: { run: () => any }[] },
 * }} contenders clocked: a trainer with the module of pieces.c
 * @param {number} stepSeconds of that last step; 0: the limit does not run, and the shares are NaN
 */
async function measureRound({ trainers, clocked, tokens, limit }, stepSeconds) {
  const limitRun = {
    amount: limit.amount,
    forms: limit.forms.map(({ run }) => ({ run, calls: 0, seconds: 0 })),
    fastest: Infinity,
  };
  /** @type {number[]} */
  const losses = [];
  const step = async (/** @type {any} */ trainer) => losses.push((await trainer.step(tokens)).loss);
  await runForms(limitRun, stepSeconds / 2);
  const times = [];
  for (const trainer of trainers) times.push(await time({ run: () => step(trainer) }, 1));
  const intervals = await intervalsOf(() => step(clocked));
  await runForms(limitRun, stepSeconds / 2);
  if (losses.some((loss) => loss !== losses[0]))
    throw new Error(`the trainers have different losses: ${losses.join(', ')}`);
  const rows = times.map((seconds, at) => ({
    seconds,
    gain: times[0] / seconds,
    ...stepShares(operations(trainers[at].parameterCount) / seconds, limitRun),
  }));
  return { rows, intervals, fastest: limitRun.fastest };
}

/** @param {{ variant: 'simd' | 'relaxed', threads: number, wasm?: any }} how */
async function trainerOf({ variant, threads, wasm }) {
  const engine = await init({ layers: true, variant, threads, wasm });
  if (engine.info.threads !== threads) throw new Error(engine.info.why);
  return { engine, trainer: await createTrainer(MODEL, { ...SHAPE, engine }) };
}

/**
 * Trainers with one thread, with two, and with one and the module of pieces.c.
 * @param {'simd' | 'relaxed'} variant
 * @param {(url: URL) => Promise<any>} load
 */
async function trainersOf(variant, load) {
  const wasm = await load(new URL(`../build/bench/pieces.${variant}.wasm`, import.meta.url));
  const engines = [{ threads: 1 }, { threads: 2 }, { threads: 1, wasm }];
  return Promise.all(engines.map((how) => trainerOf({ variant, ...how })));
}

/**
 * Steps with one thread and with two, beside the limit of one thread of the same build. The speed
 * of a shared machine changes from call to call, so the peak limit is of its best moment.
 * @param {{ rounds: number, load: (url: URL) => Promise<any> }} how
 * @returns {Promise<any[]>} rows for trainingLines. `gain` says how many times as fast a step is as
 *   with one thread. `undisturbed`, of one thread: as undisturbedStep gives it. `why` stands alone
 *   where a variant cannot be measured
 */
export async function measureTraining({ rounds, load }) {
  const limits = await open({ load, lean: true });
  const rows = [];
  for (const [variant, name] of /** @type {['simd' | 'relaxed', string][]} */ ([
    ['simd', APART],
    ['relaxed', FUSED],
  ])) {
    const limit = limits.find((each) => each.name === name)?.prepare({ section: 'training' });
    const opened = await trainersOf(variant, load).catch((error) => reason(error));
    if (typeof opened === 'string' || !limit) {
      const why = typeof opened === 'string' ? opened : 'its limit is not built';
      rows.push({ variant, threads: 1, why });
      continue;
    }
    const [one, two, clocked] = opened.map(({ trainer }) => trainer);
    const forms = await finalists(limit.forms, time, WARM);
    const r = random(1);
    const length = SHAPE.batch * (SHAPE.context + 1);
    const tokens = Int32Array.from({ length }, () => r.integer(0, MODEL.vocab - 1));
    const contenders = { trainers: [one, two], clocked, tokens, limit: { ...limit, forms } };
    const measured = [];
    let stepSeconds = 0;
    for (let round = -1; round < rounds; round++) {
      measured.push(await measureRound(contenders, stepSeconds));
      stepSeconds = measured.at(-1).rows[0].seconds;
    }
    // The first round tells how long a step takes, and V8 replaces its quick compilation in it.
    measured.shift();
    const undisturbed = undisturbedStep(
      measured.map(({ intervals }) => intervals),
      operations(one.parameterCount),
      { amount: limit.amount, fastest: Math.min(...measured.map(({ fastest }) => fastest)) },
    );
    for (const threads of [1, 2]) {
      const all = (/** @type {string} */ key) =>
        measured.map((round) => round.rows[threads - 1][key]);
      rows.push({
        variant,
        threads,
        seconds: spread(all('seconds'), false),
        steady: spread(all('steady')),
        peak: spread(all('peak')),
        gain: spread(all('gain')),
        tokens: SHAPE.batch * SHAPE.context,
        undisturbed: threads === 1 ? undisturbed : undefined,
      });
    }
    opened.forEach(({ engine }) => engine.dispose());
  }
  return rows;
}

/** @param {any[]} rows of measureTraining */
export function trainingLines(rows) {
  const { vocab, modelDim, layers } = MODEL;
  const model = `${layers} layers of ${modelDim}, ${vocab} tokens`;
  const head = `A step of ${model}, batch ${SHAPE.batch}×${SHAPE.context}`;
  const lines = rows.map(({ variant, threads, why, ...row }) => {
    const who = `  ${variant}, ${threads} thread${threads > 1 ? 's' : ''}`;
    if (why) return `${who}: ${why}`;
    const { seconds, steady, peak, gain, tokens, undisturbed } = row;
    const speed = (tokens / seconds.median).toFixed(0);
    const step = `${(1000 * seconds.median).toFixed(0)} ms, ${speed} tokens/s`;
    const shares = `${steady.median.toFixed(2)} of the steady limit of one thread`;
    const more = undisturbed
      ? `.\n    Undisturbed: ${(1000 * undisturbed.seconds).toFixed(0)} ms, ` +
        `${undisturbed.share.toFixed(2)} of the fastest call of ${undisturbed.steps} rounds; ` +
        `the fastest whole step ${undisturbed.whole.toFixed(2)}`
      : `, ${gain.median.toFixed(2)} times one thread`;
    return `${who}: ${step}, ${shares} and ${peak.median.toFixed(2)} of its peak${more}`;
  });
  return `${[head, ...lines].join('\n')}\n`;
}
