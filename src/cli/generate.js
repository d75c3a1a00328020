/** clearhead generate: goes on from a prompt. */
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { ClearheadError, init } from '../js/index.js';
import { loadModel } from '../js/model/index.js';
import { makeChanges, named, readChanges } from './changes.js';
import { GIVEN, SAMPLING, numbersOf, variablesOf } from './generate-options.js';
import { HeadBoard } from './head-board.js';
import { counted, harmless, modelAt, progressBar, size } from './model-file.js';

export { meant, options, positionals, usage } from './generate-options.js';

/** The exit status after Ctrl-C: 128 and the number of the signal. */
const INTERRUPTED = 130;

/** @param {any} given @param {string[]} words @returns {Promise<number>} exit status */
export async function run(given, [file, prompt, ...rest]) {
  if (prompt === undefined)
    throw new ClearheadError(
      'ARG',
      (file ? 'PROMPT is missing; expected a text after FILE' : 'FILE and PROMPT are missing') +
        ', as in: clearhead generate model.gguf "Once upon a time"',
    );
  if (rest.length)
    throw new ClearheadError(
      'ARG',
      `after PROMPT there is "${rest[0].slice(0, 40)}"; expected one text, in quotes`,
    );
  if (given.system !== undefined && !given.chat)
    throw new ClearheadError('ARG', '--system is given without --chat; expected both');
  if (given.var && !given.chat)
    throw new ClearheadError('ARG', '--var is given without --chat; expected both');
  if (given.seed !== undefined && given.tau === undefined)
    throw new ClearheadError('ARG', '--seed is given without --tau; expected both');
  const variables = variablesOf(given.var ?? []);
  const changes = await readChanges(given);
  const number = numbersOf(given);
  const bar = progressBar();
  const stop = interrupted();
  let engine;
  try {
    const source = await modelAt(file);
    engine = await init({
      layers: true,
      threads: number.threads ?? Math.min(4, availableParallelism()),
    });
    const model = await loadModel(
      source,
      defined({
        engine,
        quantize: given.quantize,
        context: number.context,
        cacheType: given.cache,
        onProgress: bar.show,
        signal: stop.signal,
      }),
    );
    bar.clear();
    await makeChanges(model, changes, given.chat ? undefined : prompt);
    if (number.temperature !== undefined) model.setTemperature(number.temperature);
    return await write(model, engine, prompt, { ...given, variables }, number, stop.signal);
  } catch (/** @type {any} */ error) {
    if (stop.signal.aborted && error === stop.signal.reason) {
      bar.clear();
      const report = { prompt, text: '', tokens: [], finish: 'interrupted', interrupted: true };
      if (given.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
      else process.stderr.write('interrupted while the model was loading\n');
      return INTERRUPTED;
    }
    const [name] = /^\w+/.exec(error?.message ?? '') ?? [''];
    const flag = error instanceof ClearheadError && GIVEN.get(name);
    throw flag
      ? new ClearheadError(error.code, error.message.replace(name, flag), { cause: error })
      : named(error, changes);
  } finally {
    bar.clear();
    stop.off();
    engine?.dispose();
  }
}

/**
 * @param {import('../js/model/api.d.ts').Model} model
 * @param {import('../js/types.d.ts').Engine} engine
 * @param {string} prompt
 * @param {any} given
 * @param {any} number
 * @param {AbortSignal} signal
 */
async function write(model, engine, prompt, given, number, signal) {
  const how = defined({
    ...Object.fromEntries(SAMPLING.map((name) => [name, number[name]])),
    stop: given.stop,
    signal,
    observe: given.observe ? 'stats' : undefined,
  });
  if (!model.tokenizer)
    throw new ClearheadError(
      'ARG',
      'the model has no tokenizer; expected tokenizer.json beside the weights, or a GGUF file',
    );
  const messages = [
    ...(given.system ? [{ role: 'system', content: given.system }] : []),
    { role: 'user', content: prompt },
  ];
  if (given.chat && !model.template)
    throw new ClearheadError(
      'ARG',
      '--chat is given, but the model has no chat template; ' +
        'expected one that has, or PROMPT without --chat',
    );
  const board = new HeadBoard(model.config);
  const { stdout, stderr } = process;
  const { variables } = given;
  const words = given.chat
    ? model.chat(messages, { ...how, variables })
    : model.generate(prompt, how);
  const started = performance.now();
  let first = 0;
  let text = '';
  let finish = 'interrupted';
  let length = 0;
  const tokens = [];
  if (!given.json && !given.chat) stdout.write(harmless(prompt));
  try {
    for await (const next of words) {
      first ||= performance.now();
      length ||= model.cache.length;
      tokens.push(next.token);
      text += next.text;
      if (!given.json) stdout.write(harmless(next.text));
      if (next.heads) board.add(next.heads, model.cache.length - 1);
      finish = next.finish ?? finish;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  length ||= model.cache.length;
  // work that was not done, or done all at once, has no speed
  const rate = (
    /** @type {number} */ count,
    /** @type {number} */ from,
    /** @type {number} */ to,
  ) => (count > 0 && first && to > from ? (1000 * count) / (to - from) : null);
  const speed = {
    prompt: rate(length, started, first),
    text: rate(tokens.length - 1, first, performance.now()),
  };
  const { info, cache } = model;
  const { variant, threads, why } = engine.info;
  const broken = finish === 'interrupted';
  const status = broken ? INTERRUPTED : 0;
  if (given.json) {
    const report = {
      prompt,
      text,
      tokens,
      finish,
      interrupted: broken,
      promptTokens: length,
      tokensPerSecond: speed,
    };
    const machine = {
      loadMilliseconds: Math.round(info.loadMilliseconds),
      weightBytes: info.weightBytes,
      cacheBytes: cache.bytes,
      variant,
      threads,
    };
    const heads = given.observe && { heads: tokens.length ? board.summary() : [] };
    stdout.write(`${JSON.stringify({ ...report, ...machine, ...heads }, null, 2)}\n`);
    return status;
  }
  stdout.write('\n');
  if (given.observe && tokens.length) stderr.write(`\n${board.inWords()}\n`);
  const reason = {
    end: 'the model ended the text',
    stop: 'a stop text came',
    length: `--max-tokens ${how.maxTokens ?? 256} reached`,
    context: `the context of ${cache.capacity} positions is full`,
    interrupted: 'interrupted',
  }[finish];
  const at = (/** @type {number | null} */ x) =>
    x === null ? '' : ` at ${x < 9.95 ? x.toFixed(1) : x.toFixed(0)}/s`;
  const seconds = (info.loadMilliseconds / 1000).toFixed(2);
  stderr.write(
    `\n${counted(length, 'token')} read${at(speed.prompt)}, ` +
      `${tokens.length} written${at(speed.text)}; ${reason}.\n` +
      `${size(info.weightBytes)} of weights loaded in ${seconds} s; ` +
      `${variant} kernels, ${counted(threads, 'thread')}${why ? ` (${why})` : ''}.\n`,
  );
  return status;
}

/** @param {Record<string, any>} options @returns {any} those that are given */
const defined = (options) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/**
 * Ctrl-C ends loading or the text, and then there is said what there was; a second one ends the
 * program.
 */
function interrupted() {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once('SIGINT', stop);
  return { signal: controller.signal, off: () => process.off('SIGINT', stop) };
}
