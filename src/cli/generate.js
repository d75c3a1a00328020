import { availableParallelism } from 'node:os';
import process from 'node:process';
import { ClearheadError, init } from '../js/index.js';
import { loadModel } from '../js/model/index.js';
import { HeadBoard } from './head-board.js';
import { FILE, modelAt, progressBar, size } from './model-file.js';

export const usage = `  clearhead generate [options] FILE PROMPT
      Goes on from PROMPT. The text comes on standard output, everything else on standard error.
      ${FILE}
        --chat                PROMPT is what a user says; the model's chat template is put around it
        --system TEXT         and this before it
        --max-tokens N        default 256
        --tau X               sampling temperature; default 0, the most probable token each time
        --top-k N  --top-p X  --min-p X  --repetition-penalty X  --seed N
        --stop TEXT           ends where TEXT would begin; may be repeated
        --observe             shows afterwards what every head looked at
        --temperature T       of the attention, in all heads (not that of sampling); default 1
        --quantize q8         float weights are kept as Q8_0
        --context N           positions to make room for; default 2048, or what the model was made for
        --cache f16|q8        how keys and values are kept; default f32
        --threads N           default: what the machine has, at most 4
        --json                one object at the end instead of text`;

const numbers = ['max-tokens', 'tau', 'top-k', 'top-p', 'min-p', 'repetition-penalty', 'seed', 'temperature', 'context', 'threads'];
export const options = {
  ...Object.fromEntries(numbers.map((name) => [name, { type: 'string' }])),
  stop: { type: 'string', multiple: true }, cache: { type: 'string' }, quantize: { type: 'string' }, system: { type: 'string' },
  chat: { type: 'boolean' }, observe: { type: 'boolean' }, json: { type: 'boolean' },
};
export const positionals = true;

/** @param {any} given @param {string[]} words @returns {Promise<number>} exit status */
export async function run(given, [file, prompt, ...rest]) {
  if (prompt === undefined) throw new ClearheadError('ARG', 'PROMPT is not given; expected a text after FILE, as in: clearhead generate model.gguf "Once upon a time"');
  if (rest.length) throw new ClearheadError('ARG', `after PROMPT there is "${rest[0].slice(0, 40)}"; expected one text, in quotes`);
  const number = Object.fromEntries(numbers.map((name) => [name, given[name] === undefined ? undefined : numeric(name, given[name])]));
  const source = await modelAt(file), engine = await init({ layers: true, threads: number.threads ?? Math.min(4, availableParallelism()) });
  const bar = progressBar(), stop = interrupted();
  try {
    const model = await loadModel(source, defined({ engine, quantize: given.quantize, context: number.context, cacheType: given.cache, onProgress: bar.show, signal: stop.signal }));
    bar.clear();
    if (number.temperature !== undefined) model.setTemperature(number.temperature);
    return await write(model, engine, prompt, given, number, stop);
  } finally {
    bar.clear();
    stop.off();
    engine.dispose();
  }
}

/**
 * @param {import('../js/model/api.d.ts').Model} model @param {import('../js/types.d.ts').Engine} engine @param {string} prompt
 * @param {any} given @param {any} number @param {ReturnType<typeof interrupted>} stop
 */
async function write(model, engine, prompt, given, number, stop) {
  const sampling = { tau: number.tau, topK: number['top-k'], topP: number['top-p'], minP: number['min-p'], repetitionPenalty: number['repetition-penalty'], seed: number.seed };
  const how = defined({ ...sampling, maxTokens: number['max-tokens'], stop: given.stop, signal: stop.signal, observe: given.observe ? 'stats' : undefined });
  if (!model.tokenizer) throw new ClearheadError('ARG', 'the model has no tokenizer; expected tokenizer.json beside the weights, or a GGUF file');
  const messages = [...(given.system ? [{ role: 'system', content: given.system }] : []), { role: 'user', content: prompt }];
  const board = new HeadBoard(model.config), { stdout, stderr } = process;
  const words = given.chat ? model.chat(messages, how) : model.generate(prompt, how), started = performance.now();
  let first = 0, text = '', finish = 'interrupted', length = 0;
  const tokens = [];
  if (!given.json && !given.chat) stdout.write(prompt);
  try {
    for await (const next of words) {
      first ||= performance.now();
      length ||= model.cache.length;
      tokens.push(next.token);
      text += next.text;
      if (!given.json) stdout.write(next.text);
      if (next.heads) board.add(next.heads, model.cache.length - 1);
      finish = next.finish ?? finish;
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  const ended = performance.now(), seconds = { prompt: (first - started) / 1000, text: (ended - first) / 1000 };
  const speed = { prompt: length / seconds.prompt, text: (tokens.length - 1) / seconds.text };
  if (given.json) {
    const { variant, threads } = engine.info;
    const { loadMilliseconds, weightBytes } = model.info, report = { prompt, text, tokens, finish, promptTokens: length, tokensPerSecond: speed };
    const machine = { loadMilliseconds, weightBytes, cacheBytes: model.cache.bytes, variant, threads };
    stdout.write(`${JSON.stringify({ ...report, ...machine, ...(given.observe && { heads: board.summary() }) }, null, 2)}\n`);
    return 0;
  }
  stdout.write('\n');
  if (given.observe) stderr.write(`\n${board.inWords()}\n`);
  const { variant, threads, why } = engine.info;
  const reason = {
    end: 'the model ended the text', stop: 'a stop text came', length: `--max-tokens ${how.maxTokens ?? 256} reached`,
    context: `the context of ${model.cache.capacity} positions is full`, interrupted: 'interrupted',
  }[finish];
  stderr.write(`\n${length} tokens read at ${speed.prompt.toFixed(0)}/s, ${tokens.length} written${tokens.length > 1 ? ` at ${speed.text.toFixed(0)}/s` : ''}; ${reason}.
${size(model.info.weightBytes)} of weights loaded in ${(model.info.loadMilliseconds / 1000).toFixed(2)} s; ${variant} kernels, ${threads} ${threads === 1 ? 'thread' : 'threads'}${why ? ` (${why})` : ''}.\n`);
  return 0;
}

/** @param {string} name @param {string} text */
function numeric(name, text) {
  const x = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : /^inf(inity)?$/i.test(text) ? Infinity : NaN;
  if (Number.isNaN(x)) throw new ClearheadError('ARG', `--${name} is "${text}"; expected a number`);
  return x;
}

/** @param {Record<string, any>} options @returns {any} those that are given */
const defined = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** Ctrl-C ends the text, and says what there was; a second one ends the program. */
function interrupted() {
  const controller = new AbortController(), stop = () => controller.abort();
  process.once('SIGINT', stop);
  return { signal: controller.signal, off: () => process.off('SIGINT', stop) };
}
