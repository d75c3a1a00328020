/** The functions that templates find, as transformers gives them. */
import { ClearheadError } from '../../../errors.js';
import { callable } from './arguments.js';
import { formattedDate } from './dates.js';
import { MAX_RANGE, exceed } from './limits.js';
import { str } from './print.js';
import { GENERATION } from './source.js';
import { wholeOf } from './text.js';
import { Callable, Namespace, Range, elements, fail, unsupported } from './values.js';

/** @typedef {import('./values.js').Value} Value */

/** @param {Record<string, Value>} given */
function range({ start, stop, step = 1 }) {
  const [from, to] = stop === undefined ? [0, start] : [start, stop];
  const by = wholeOf('step', step);
  if (by === 0) fail('the step of range is 0');
  const length = Math.ceil((wholeOf('stop', to) - wholeOf('start', from)) / by);
  if (length > MAX_RANGE) exceed(`has a range of ${length}; expected at most ${MAX_RANGE}`);
  return Range.from({ length: Math.max(0, length) }, (_, i) => Number(from) + i * by);
}

/** @param {string} name @param {Value[]} args @param {Map<string, Value>} named */
function pairs(name, args, named) {
  if (args.length > 1) fail(`${name} takes at most one argument`);
  const [given] = args;
  const own = given instanceof Map ? [...given] : elements(given).map(elements);
  if (own.some((pair) => pair.length !== 2)) fail(`${name} needs pairs`);
  return new Map([.../** @type {[any, Value][]} */ (own), ...named]);
}

const NAMES = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
};

/** @type {Record<string, Value>} */
export const GLOBALS = {
  ...NAMES,
  range: callable('range', ['start', 'stop', 'step'], 1, range),
  namespace: new Callable(
    'namespace',
    (args, named) => new Namespace(pairs('namespace', args, named)),
  ),
  dict: new Callable('dict', (args, named) => pairs('dict', args, named)),
  raise_exception: callable('raise_exception', ['message'], 1, ({ message }) => {
    throw new ClearheadError(
      'ARG',
      `the chat template refuses these messages: ${str(message).slice(0, 200)}`,
    );
  }),
  strftime_now: callable('strftime_now', ['format'], 1, ({ format }) =>
    formattedDate(str(format), new Date()),
  ),
};
GLOBALS[GENERATION] = new Callable('generation', (_, named) =>
  named.get('caller').call([], new Map()),
);
for (const name of ['cycler', 'joiner', 'lipsum'])
  GLOBALS[name] = new Callable(name, () => unsupported(`the function ${name}`));
