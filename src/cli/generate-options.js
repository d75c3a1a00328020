/** The options of clearhead generate. */
import { ClearheadError } from '../js/index.js';
import { CHANGES, changeOptions } from './changes.js';
import { FILE } from './model-file.js';
import { numeric } from './numeric.js';

export const usage = `  clearhead generate [options] FILE PROMPT
      Goes on from PROMPT, for example:
        clearhead generate --tau 0.8 --seed 1 model.gguf "Once upon a time"
      The text comes on standard output, with its control characters written
      out. Everything else comes on standard error. Ctrl-C ends it, with exit
      status 130.
      ${FILE}
        --chat                   PROMPT is a user's message, for the model's
                                 chat template
        --system TEXT            a system message before it, for the same
                                 template
        --var NAME=VALUE         a variable of the template, in JSON:
                                 enable_thinking=false, 'tools=[{"name": "f"}]',
                                 'style="plain"'; may be repeated
        --max-tokens N           1 or more; default 256
        --tau X                  sampling temperature, 0 or more; default 0, the
                                 likeliest token
        --top-k N                among the N most probable; default 0, all
        --top-p X                among the fewest that together have this
                                 probability, above 0 to 1; default 1
        --min-p X                among those this fraction of the most probable,
                                 0 to 1; default 0
        --repetition-penalty X   above 0; default 1, none
        --repetition-window N    among this number of tokens before; default 64
        --seed N                 0 or more; default 0; with --tau alone
        --stop TEXT              ends where TEXT would begin; may be repeated
        --observe                shows afterwards what every head looked at
${CHANGES}
        --attention-temperature T
                                 of all heads, not of sampling; 0 or more,
                                 default 1
        --quantize q8            float weights are kept as Q8_0
        --context N              positions to allocate; default 2048, at most
                                 the model's own
        --cache f16|q8           how keys and values are kept; default f32
        --threads N              1 to 16; default: as many as the machine has,
                                 at most 4
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
  'attention-temperature': 'temperature',
  context: 'context',
  threads: 'threads',
};
export const SAMPLING = [
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
export const GIVEN = new Map(
  Object.entries({
    ...Object.fromEntries(Object.entries(NUMBERS).map(([flag, name]) => [name, `--${flag}`])),
    cacheType: '--cache',
    quantize: '--quantize',
    stop: '--stop',
    prompt: 'PROMPT',
    variables: '--var',
  }),
);

export const options = {
  ...Object.fromEntries(Object.keys(NUMBERS).map((flag) => [flag, { type: 'string' }])),
  stop: { type: 'string', multiple: true },
  ...changeOptions,
  cache: { type: 'string' },
  quantize: { type: 'string' },
  system: { type: 'string' },
  var: { type: 'string', multiple: true },
  chat: { type: 'boolean' },
  observe: { type: 'boolean' },
  json: { type: 'boolean' },
};
export const positionals = true;

/** Words for options that there are none of, and those that are meant. */
export const meant = {
  temp: '--tau',
  temperature: '--tau (of sampling) or --attention-temperature',
};

/** The numbers among the options, by their names in the library. @param {any} given */
export const numbersOf = (given) =>
  Object.fromEntries(
    Object.entries(NUMBERS).map(([flag, name]) => [
      name,
      given[flag] === undefined ? undefined : numeric(flag, given[flag]),
    ]),
  );

/**
 * Variables of the chat template by name.
 * @param {string[]} given each as NAME=VALUE
 */
export const variablesOf = (given) => Object.fromEntries(given.map(variable));

/** @param {string} text @returns {[string, unknown]} */
function variable(text) {
  const [, name, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(text) ?? [];
  if (name === undefined)
    throw new ClearheadError('ARG', `--var is "${text.slice(0, 60)}"; expected NAME=VALUE`);
  try {
    return [name, JSON.parse(value)];
  } catch (cause) {
    const came = value ? `"${value.slice(0, 60)}"` : 'empty';
    throw new ClearheadError(
      'ARG',
      `--var ${name} is ${came}; expected JSON, such as true, 3 or '${name}="text"'`,
      { cause },
    );
  }
}
