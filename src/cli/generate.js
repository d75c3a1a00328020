import { availableParallelism } from 'node:os';
import process from 'node:process';
import { ClearheadError, init } from '../js/index.js';
import { loadModel } from '../js/model/index.js';
import { HeadBoard } from './head-board.js';
import { FILE, counted, harmless, modelAt, progressBar, size } from './model-file.js';

export const usage = `  clearhead generate [options] FILE PROMPT
      Goes on from PROMPT, for example:
        clearhead generate --tau 0.8 --seed 1 model.gguf "Once upon a time"
      The text comes on standard output, its control characters written out, everything else on
      standard error. Ctrl-C ends it, with exit status 130.
      ${FILE}
        --chat                   PROMPT is a user's message, for the model's chat template
        --system TEXT            and this before it
        --max-tokens N           1 or more; default 256
        --tau X                  sampling temperature, 0 or more; default 0, the likeliest token
        --top-k N                among the N most probable; default 0, all
        --top-p X                among the fewest that together have this probability, above 0
                                 to 1; default 1
        --min-p X                among those this fraction of the most probable, 0 to 1; default 0
        --repetition-penalty X   above 0; default 1, none
        --repetition-window N    among this number of tokens before; default 64
        --seed N                 0 or more; default 0
        --stop TEXT              ends where TEXT would begin; may be repeated
        --observe                shows afterwards what every head looked at
        --temperature T          of the attention in all heads, not of sampling; 0 or more,
                                 default 1
        --quantize q8            float weights are kept as Q8_0
        --context N              positions to allocate; default 2048, at most the model's own
        --cache f16|q8           how keys and values are kept; default f32
        --threads N              1 to 16; default: what the machine has, at most 4
        --json                   one object at the end instead of text`;

/** Flags with a number, and their names in the library. */
const NUMBERS = {
  'max-tokens': 'maxTokens',
  tau: 'tau',
  'top-k': 'topK',
  'top-p': 'topP',
  'min-p': 'minP',
  'repetition-penalty': 'repetitionPenalty',
  'repetition-window': 'repetitionWindow',
  seed: 'seed',
  temperature: 'temperature',
  context: 'context',
  threads: 'threads',
};
const SAMPLING = [
  'tau',
  'topK',
  'topP',
  'minP',
  'repetitionPenalty',
  'repetitionWindow',
  'seed',
  'maxTokens',
];
/** Names in errors of the library, and the arguments they stand for. */
const GIVEN = new Map(
  Object.entries({
    ...Object.fromEntries(Object.entries(NUMBERS).map(([flag, name]) => [name, `--${flag}`])),
    cacheType: '--cache',
    quantize: '--quantize',
    stop: '--stop',
    prompt: 'PROMPT',
  }),
);

export const options = {
  ...Object.fromEntries(Object.keys(NUMBERS).map((flag) => [flag, { type: 'string' }])),
  stop: { type: 'string', multiple: true },
  cache: { type: 'string' },
  quantize: { type: 'string' },
  system: { type: 'string' },
  chat: { type: 'boolean' },
  observe: { type: 'boolean' },
  json: { type: 'boolean' },
};
export const positionals = true;

/** The exit status after Ctrl-C: 128 and the number of the signal. */
const INTERRUPTED = 130;

/** @param {any} given @param {string[]} words @returns {Promise<number>} exit status */
export async function run(given, [file, prompt, ...rest]) {
  if (prompt === undefined)
    throw new ClearheadError(
      'ARG',
      `${file ? 'PROMPT is' : 'FILE and PROMPT are'} not given; expected a text after FILE, ` +
        'as in: clearhead generate model.gguf "Once upon a time"',
    );
  if (rest.length)
    throw new ClearheadError(
      'ARG',
      `after PROMPT there is "${rest[0].slice(0, 40)}"; expected one text, in quotes`,
    );
  if (given.system !== undefined && !given.chat)
    throw new ClearheadError('ARG', '--system is given without --chat; expected both');
  const number = Object.fromEntries(
    Object.entries(NUMBERS).map(([flag, name]) => [
      name,
      given[flag] === undefined ? undefined : numeric(flag, given[flag]),
    ]),
  );
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
    if (number.temperature !== undefined) model.setTemperature(number.temperature);
    return await write(model, engine, prompt, given, number, stop.signal);
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
      : error;
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
  const words = given.chat ? model.chat(messages, how) : model.generate(prompt, how);
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

/** @param {string} name @param {string} text */
function numeric(name, text) {
  const x = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)
    ? Number(text)
    : /^inf(inity)?$/i.test(text)
      ? Infinity
      : NaN;
  if (Number.isNaN(x)) throw new ClearheadError('ARG', `--${name} is "${text}"; expected a number`);
  return x;
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
