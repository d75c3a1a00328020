import { abortSignal, integer, read, yes } from '../../check.js';
import { describe, refuse } from '../../errors.js';
import { didYouMean } from '../../names.js';
import { readRequest } from './arguments.js';
import { begun } from '../reading/prompt.js';
import { createSampler, SAMPLER_OPTIONS } from '../sampling/sample.js';
import { lastOf } from './statistics.js';
import { createStop } from '../text/stop.js';
import { isVariable } from '../text/template.js';
import { ratiosOf, withLookback } from '../inspect/lookback.js';
import { chunkFor, traceOfLast } from '../inside/last-trace.js';
import { createReader } from '../reading/reader.js';

/**
 * @typedef {Partial<import('../api.d.ts').HeadStats>} Observations
 * @typedef {import('../api.d.ts').GenerateOptions} GenerateOptions
 * @typedef {import('../api.d.ts').ChatOptions} ChatOptions
 */

/** Options of `generate` beside those of the sampler. */
const OWN = ['maxTokens', 'stop', 'signal', 'observe', 'heads', 'trace', 'ledger'];

/** Options that only `chat` has. */
const OF_CHAT = ['addGenerationPrompt', 'variables'];
const OF_GENERATE = [...OWN, ...SAMPLER_OPTIONS];

/**
 * Reads the options of `chat`.
 * @param {unknown} options
 * @param {import('../types.d.ts').ChatTemplate | null} template
 */
export function readChatOptions(options, template) {
  const names = [...OF_CHAT, ...OF_GENERATE];
  checkTemperature(options);
  for (const name of Object.keys(options ?? {}))
    if (!names.includes(name) && !didYouMean(name, names) && isVariable(template, name))
      refuse('ARG', 'options', `given ${describe(name)}`, `it in variables: { ${name} }`);
  return read('options', /** @type {ChatOptions} */ (options), names);
}

/** @param {unknown} options */
function checkTemperature(options) {
  if (options && Object.hasOwn(options, 'temperature'))
    refuse(
      'ARG',
      'options',
      'given "temperature"',
      'tau, the sampling temperature (model.setTemperature sets that of the attention)',
    );
}

/**
 * Model.generate, see api.d.ts. All is checked at once, not when the first token is asked for. Only
 * a long prompt is encoded later.
 * @param {import('./model.js').Model} model
 * @param {import('../reading/prompt.js').Ids} prompt in steps
 * @param {unknown} options
 */
export function generate(model, prompt, options) {
  model.alive();
  checkTemperature(options);
  const o = read('options', /** @type {GenerateOptions} */ (options), OF_GENERATE);
  const { maxTokens = 256, signal } = o;
  integer('maxTokens', maxTokens, 1);
  abortSignal(signal);
  const { observe, heads, trace } = o;
  const request = readRequest({ observe, heads, trace }, model.config, true);
  const sampler = createSampler(Object.fromEntries(SAMPLER_OPTIONS.map((name) => [name, o[name]])));
  if (o.seed !== undefined && o.tau === undefined)
    refuse('ARG', 'seed', 'given without tau', 'both, since no token is drawn by default');
  const isOne = typeof o.stop === 'string';
  const stops = createStop(isOne ? [o.stop] : o.stop, isOne);
  const idsOf = begun(prompt, model.sequence.capacity);
  const ledger = yes('ledger', o.ledger) === 1;
  return run(model, idsOf, { maxTokens, signal, request, sampler, stops, ledger });
}

/**
 * @param {import('./model.js').Model} model
 * @param {ReturnType<typeof begun>} idsOf the prompt
 * @param {object} options
 * @param {number} options.maxTokens
 * @param {AbortSignal} [options.signal]
 * @param {import('./arguments.js').Request} options.request
 * @param {import('../types.d.ts').Sampler} options.sampler
 * @param {import('../types.d.ts').StopFilter} options.stops
 * @param {boolean} options.ledger
 */
async function* run(model, idsOf, { maxTokens, signal, request, sampler, stops, ledger }) {
  const { sequence: cache, tokenizer } = model;
  const logits = new Float32Array(model.config.vocab);
  const stream = tokenizer?.stream({ continued: true });
  const { check, pause, settle, read: readTokens } = createReader(model, signal);
  check();
  /**
   * Whether the caller has a token and has not asked for the next one. An abort then ends the text,
   * even if this function never runs again.
   */
  let waiting = false;
  const release = cache.lock(() => waiting && signal?.aborted === true);
  try {
    const prompt = await idsOf(check);
    const { now } = model.live;
    now.checkPrompt(prompt.length, cache.common(prompt, now));
    // loads when it is first wanted: see heads.js
    const ledgers = ledger ? await import('../inspect/ledger/token-ledger.js') : undefined;
    if (model.live.averages) await settle(prompt, true);
    check();
    const context = prompt.length;
    const wanted = request.lookback ? withLookback(request, context, cache.capacity) : request;
    const observed = (/** @type {Observations | undefined} */ of, /** @type {number} */ tokens) => {
      const last = lastOf(of, model.config, tokens);
      return last && request.lookback
        ? ratiosOf(last, request, context, cache.length - context)
        : last;
    };
    let seen = {};
    /** The records of the last token. @type {import('./model.js').Read['ledger']} */
    let ofLedger;
    /** The last tokens before a choice. @param {number[]} tokens */
    const readLast = async (tokens) => {
      const t = tokens.length;
      const more = ledgers?.withLedger(wanted, model.config, t);
      const read = await readTokens(tokens, logits, more ?? wanted);
      ofLedger = read.ledger;
      const heads = observed(read.heads, t);
      seen = { ...(heads && { heads }), ...traceOfLast(model, request, read.record, t) };
    };
    for (let at = model.reuse(prompt); at < prompt.length;) {
      const some = prompt.slice(at, at + chunkFor(model, request, prompt.length - at));
      at += some.length;
      if (at === prompt.length) await readLast(some);
      else await readTokens(some, null, wanted);
    }
    const ids = prompt.slice();
    for (let count = 1; ; count++) {
      await pause();
      check();
      const { token, ...probability } = sampler.sample(logits, ids);
      ids.push(token);
      const ended = model.ends.has(token);
      let { text, stopped } = ended
        ? { text: '', stopped: null }
        : stops.push(stream?.push(token) ?? '');
      const finish = ended
        ? 'end'
        : stopped !== null
          ? 'stop'
          : count === maxTokens
            ? 'length'
            : cache.length === cache.capacity
              ? 'context'
              : undefined;
      if (finish && stopped === null) text += stops.push(stream?.end() ?? '').text + stops.end();
      if (finish) release();
      waiting = true;
      yield {
        token,
        text,
        ...probability,
        ...seen,
        ...(ledgers && { ledger: ledgers.ofToken(model, ofLedger, token, logits[token]) }),
        ...(finish && { finish }),
      };
      waiting = false;
      if (finish) return;
      if (model.live.averages) await settle(prompt, false);
      await readLast([token]);
    }
  } finally {
    release();
  }
}
