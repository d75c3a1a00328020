import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';
import { ClearheadError } from '../../errors.js';
import { templateError } from './template.js';

/**
 * Runs a template under limits, which the library lacks. All that it computes goes through
 * `evaluate`. There each value costs as many steps as it has parts, out of a fixed number. An
 * operation that combines two values or searches one in the other costs their product, in advance.
 * @typedef {any} Value or node of the library, see libraries.d.ts
 */

/**
 * Limits: steps in all, characters of a text, product of the sizes of an object and an argument.
 */
const MAX_STEPS = 2 ** 22;
const MAX_TEXT = 2 ** 20;
const MAX_PRODUCT = 2 ** 26;
/** Depth of evaluation, depth of values, length of a range. */
const MAX_DEPTH = 400;
const MAX_NESTING = 32;
const MAX_RANGE = 4096;

/**
 * Characters of a text that cost one step. Texts inside a value that is not printed cost less,
 * since they are rarely read.
 */
const CHARS = 16;
const INNER_CHARS = 512;
/** Steps of a call, or of one run through a loop. */
const LOOP_STEPS = 16;
/** The part of a product that costs one step. */
const PRODUCT_STEP = 64;

/** @param {string} problem @returns {never} */
function exceed(problem) {
  throw new ClearheadError('LIMIT', `the chat template ${problem}`);
}

class Bounded extends Interpreter {
  #steps = 0;
  #depth = 0;
  /** Size of the value a node had last. @type {WeakMap<object, number>} */
  #sizes = new WeakMap();
  /**
   * The node that an argument of a filter, or the right side of `in`, is applied to.
   * @type {WeakMap<object, object>}
   */
  #applied = new WeakMap();
  /** Nodes whose values are looped over. @type {WeakSet<object>} */
  #looped = new WeakSet();
  /** Nodes whose values are printed: those that stand in a block. @type {WeakSet<object>} */
  #printed = new WeakSet();

  /** @override @param {Value} node @param {Environment} environment @returns {Value} */
  evaluate(node, environment) {
    if (!node) return super.evaluate(node, environment);
    if (node.type === 'FilterStatement')
      exceed('has a filter block; expected filters in expressions');
    if (++this.#depth > MAX_DEPTH) exceed(`nests deeper than ${MAX_DEPTH}`);
    const given = node.type === 'FilterExpression' ? (node.filter.args ?? []) : [];
    for (const one of given)
      this.#applied.set(one.value?.type ? one.value : (one.argument ?? one), node.operand);
    if (/^(not )?in$/.test(node.operator?.value)) this.#applied.set(node.right, node.left);
    for (const block of [node.body, node.alternate, node.defaultBlock])
      if (block?.length && !this.#printed.has(block[0]))
        for (const one of block) this.#printed.add(one);
    if (node.type === 'For')
      this.#looped.add(
        node.iterable.lhs && node.iterable.type === 'SelectExpression'
          ? node.iterable.lhs
          : node.iterable,
      );
    // inside a macro the same nodes have other values than for its caller
    const sizes = this.#sizes;
    try {
      if (node.type.startsWith('Call')) {
        this.#spend(LOOP_STEPS);
        this.#sizes = new WeakMap();
      }
      const value = super.evaluate(node, environment);
      this.#sizes = sizes;
      const size = this.#pay(value, 0, this.#printed.has(node) ? CHARS : INNER_CHARS);
      this.#sizes.set(node, size);
      if (this.#looped.has(node))
        this.#spend(LOOP_STEPS * (value?.value?.length ?? value?.value?.size ?? 0));
      const operand = this.#applied.get(node);
      if (operand) this.#multiply(this.#sizes.get(operand) ?? MAX_TEXT, value);
      if (node.type !== 'MemberExpression' || typeof value?.value !== 'function') return value;
      return this.#careful(value, this.#sizes.get(node.object) ?? MAX_TEXT);
    } finally {
      this.#depth--;
    }
  }

  /**
   * A method that looks at its arguments first.
   * @param {Value} method
   * @param {number} size of its object
   */
  #careful(method, size) {
    return new method.constructor((/** @type {Value[]} */ args, /** @type {Value} */ scope) => {
      for (const argument of args) this.#multiply(size, argument);
      return method.value(args, scope);
    });
  }

  /** @param {number} size @param {Value} argument */
  #multiply(size, argument) {
    const own =
      typeof argument?.value === 'number'
        ? Math.abs(argument.value)
        : this.#pay(argument, 0, INNER_CHARS);
    const product = (size + 1) * (own + 1);
    if (product > MAX_PRODUCT)
      exceed('would make a text that is too long, or look for one in another');
    this.#spend(Math.floor(product / PRODUCT_STEP));
  }

  /**
   * Spends the steps of a value, and returns its size in characters and parts.
   * @param {Value} value
   * @param {number} nesting
   * @param {number} chars of inner texts that count as a step
   * @returns {number}
   */
  #pay(value, nesting, chars) {
    const inner = value?.value;
    if (nesting > MAX_NESTING) exceed(`makes values nested deeper than ${MAX_NESTING}`);
    let size = 1;
    if (typeof inner === 'string') {
      size += inner.length;
      if (size > MAX_TEXT) exceed(`makes a text of more than ${MAX_TEXT} characters`);
      this.#spend(Math.floor(inner.length / (nesting ? chars : CHARS)));
    } else if (Array.isArray(inner) || inner instanceof Map) {
      for (const part of inner.values()) size += this.#pay(part, nesting + 1, chars);
    }
    this.#spend(1);
    return size;
  }

  /** @param {number} steps */
  #spend(steps) {
    if ((this.#steps += steps) > MAX_STEPS) exceed(`takes more than ${MAX_STEPS} steps`);
  }
}

/** Names that templates may use. @param {Environment} environment */
function setGlobals(environment) {
  const globals = {
    true: true,
    false: false,
    none: null,
    True: true,
    False: false,
    None: null,
    range: (/** @type {number} */ start, /** @type {number | undefined} */ stop, step = 1) => {
      const [from, to] = stop === undefined ? [0, start] : [start, stop];
      const length = Math.ceil((to - from) / step);
      if (!(length <= MAX_RANGE)) exceed(`has a range of ${length}; expected at most ${MAX_RANGE}`);
      return Array.from({ length: Math.max(0, length) }, (_, i) => from + i * step);
    },
    raise_exception: (/** @type {unknown} */ message) => {
      throw new ClearheadError(
        'ARG',
        `the chat template refuses these messages: ${String(message).slice(0, 200)}`,
      );
    },
    strftime_now: (/** @type {unknown} */ format) => date(String(format)),
  };
  for (const [name, value] of Object.entries(globals)) environment.set(name, value);
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Today, in the parts that templates ask for. @param {string} format */
function date(format) {
  const now = new Date();
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const month = MONTHS[now.getMonth()];
  /** @type {Record<string, string>} */
  const parts = {
    Y: String(now.getFullYear()),
    m: two(now.getMonth() + 1),
    d: two(now.getDate()),
    B: month,
    b: month.slice(0, 3),
    H: two(now.getHours()),
    M: two(now.getMinutes()),
    S: two(now.getSeconds()),
    '%': '%',
  };
  return format.replace(/%([YmdBbHMS%])/g, (_, part) => parts[part]);
}

/** @param {string} text @returns {(variables: Record<string, unknown>) => string} */
export function prepare(text) {
  // the library takes time with the square of a stretch of spaces
  if (/\s{1024}/.test(text)) exceed('has 1024 spaces in a row');
  const program = guarded(() => parse(tokenize(text, { lstrip_blocks: true, trim_blocks: true })));
  return (variables) =>
    guarded(() => {
      const environment = new Environment();
      setGlobals(environment);
      for (const [name, value] of Object.entries(variables)) environment.set(name, value);
      return String(new Bounded(environment).run(program).value);
    });
}

/** @template T @param {() => T} run @returns {T} */
function guarded(run) {
  try {
    return run();
  } catch (cause) {
    throw templateError(cause);
  }
}
