/** Expressions. */
import { filtered } from './filters.js';
import { attribute, item, slice } from './members.js';
import { COMPARISONS, binary, signed } from './operators.js';
import { passes } from './tests.js';
import {
  Callable,
  Float,
  Tuple,
  elements,
  fail,
  keyOf,
  truth,
  typeOf,
  unsupported,
  whole,
} from './values.js';

/**
 * @typedef {import('./tree.js').Node} Node
 * @typedef {import('./values.js').Value} Value
 * @typedef {import('./scope.js').Scope} Scope
 * @typedef {import('./interpreter.js').Interpreter} Interpreter
 * @typedef {(node: Node, scope: Scope, run: Interpreter) => Value} Evaluate
 */

/** @param {Node[]} nodes @param {Scope} scope @param {Interpreter} run */
export function argumentsOf(nodes, scope, run) {
  /** @type {Value[]} */
  const args = [];
  /** @type {Map<string, Value>} */
  const named = new Map();
  const add = (/** @type {string} */ name, /** @type {Value} */ value) => {
    if (named.has(name)) fail(`the argument "${name}" is given twice`);
    named.set(name, value);
  };
  for (const node of nodes) {
    if (node.type === 'SpreadExpression')
      args.push(...elements(run.evaluate(node.argument, scope)));
    else if (node.type === 'KeywordArgumentExpression')
      add(node.key.value, run.evaluate(node.value, scope));
    else if (node.type === 'KeywordSpreadExpression') {
      const given = run.evaluate(node.argument, scope);
      if (!(given instanceof Map)) fail(`** needs a dict, not ${typeOf(given)}`);
      for (const [name, value] of given) add(name, value);
    } else args.push(run.evaluate(node, scope));
  }
  return { args, named };
}

/**
 * A filter, or a test that rewrite.js made one, applied to a value.
 * @param {Node} filter
 * @param {Value} value
 * @param {Scope} scope
 * @param {Interpreter} run
 */
export function applied(filter, value, scope, run) {
  const isCall = filter.type === 'CallExpression';
  const name = isCall ? filter.callee.value : filter.value;
  const { args, named } = argumentsOf(isCall ? filter.args : [], scope, run);
  for (const one of [...args, ...named.values()]) run.budget.combine(value, one);
  const test = /^is (not )?(.*)$/.exec(name);
  return test
    ? passes(test[2], value, args, named) !== Boolean(test[1])
    : filtered(name, value, args, named);
}

/** @type {Evaluate} */
function member({ object: node, property, computed }, scope, run) {
  const object = run.evaluate(node, scope);
  if (object === undefined) fail(`${named(node)} is undefined`);
  if (property.type === 'SliceExpression')
    return slice(
      object,
      [property.start, property.stop, property.step].map((one) =>
        one ? run.evaluate(one, scope) : null,
      ),
    );
  const found = computed
    ? item(object, run.evaluate(property, scope))
    : property.type === 'Identifier'
      ? attribute(object, property.value)
      : item(object, property.value);
  return found instanceof Callable ? careful(found, object, run) : found;
}

/**
 * A method that pays for its arguments first.
 * @param {Callable} method
 * @param {Value} object
 * @param {Interpreter} run
 */
const careful = (method, object, run) =>
  new Callable(method.name, (args, named) => {
    for (const one of [...args, ...named.values()]) run.budget.combine(object, one);
    return method.call(args, named);
  });

/** A node in words. @param {Node} node @returns {string} */
function named(node) {
  if (node.type === 'Identifier') return `'${node.value}'`;
  return node.type === 'MemberExpression' && !node.computed
    ? `'${node.property.value}'`
    : 'an object';
}

/** @type {Record<string, Evaluate>} */
export const EXPRESSIONS = {
  IntegerLiteral: ({ value }) => whole(value),
  FloatLiteral: ({ value }) => new Float(value),
  StringLiteral: ({ value }) => value,
  ArrayLiteral: ({ value }, scope, run) =>
    value.map((/** @type {Node} */ one) => run.evaluate(one, scope)),
  TupleLiteral: ({ value }, scope, run) =>
    Tuple.from(value, (/** @type {Node} */ one) => run.evaluate(one, scope)),
  ObjectLiteral: ({ value }, scope, run) =>
    new Map(
      Array.from(value, ([key, one]) => [
        keyOf(run.evaluate(key, scope)),
        run.evaluate(one, scope),
      ]),
    ),
  Group: ({ inner }, scope, run) => run.evaluate(inner, scope),
  Identifier({ value: name }, scope) {
    const value = scope.get(name);
    return value === undefined && name === 'self' ? unsupported('the variable self') : value;
  },
  MemberExpression: member,
  CallExpression({ callee, args: nodes }, scope, run) {
    const called = run.evaluate(callee, scope);
    const { args, named: byName } = argumentsOf(nodes, scope, run);
    if (called === undefined) return fail(`${named(callee)} is undefined`);
    if (!(called instanceof Callable)) return fail(`'${typeOf(called)}' object is not callable`);
    run.budget.runs();
    return called.call(args, byName);
  },
  FilterExpression: ({ operand, filter }, scope, run) =>
    applied(filter, run.evaluate(operand, scope), scope, run),
  UnaryExpression({ operator, argument }, scope, run) {
    const value = run.evaluate(argument, scope);
    return operator.value === 'not' ? !truth(value) : signed(operator.value, value);
  },
  BinaryExpression({ operator: { value: operator }, left, right }, scope, run) {
    const a = run.evaluate(left, scope);
    if (operator === 'and' || operator === 'or')
      return truth(a) === (operator === 'and') ? run.evaluate(right, scope) : a;
    const b = run.evaluate(right, scope);
    if (a === undefined || b === undefined) checkDefined(operator, a === undefined ? left : right);
    if (/^(\*|%|(not )?in)$/.test(operator)) run.budget.combine(a, b);
    return binary(operator, a, b);
  },
  Chain({ first, steps }, scope, run) {
    let a = run.evaluate(first, scope);
    for (const { operator, right } of steps) {
      const b = run.evaluate(right, scope);
      run.budget.combine(a, b);
      if (!COMPARISONS[operator.value](a, b)) return false;
      a = b;
    }
    return true;
  },
  Ternary: ({ condition, trueExpr, falseExpr }, scope, run) =>
    run.evaluate(truth(run.evaluate(condition, scope)) ? trueExpr : falseExpr, scope),
  SelectExpression: ({ lhs, test }, scope, run) =>
    truth(run.evaluate(test, scope)) ? run.evaluate(lhs, scope) : undefined,
};

/** @param {string} operator @param {Node} node */
function checkDefined(operator, node) {
  if (!/^(~|==|!=|(not )?in)$/.test(operator)) fail(`${named(node)} is undefined`);
}
