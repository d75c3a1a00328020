/** Statements; each gives the text that it prints. */
import { argumentsOf, applied } from './expressions.js';
import { macroOf } from './macros.js';
import { frameOf } from './frames.js';
import { Scope } from './scope.js';
import {
  Attributes,
  Callable,
  Namespace,
  elements,
  equal,
  fail,
  truth,
  typeOf,
  unsupported,
} from './values.js';

/**
 * @typedef {import('./tree.js').Node} Node
 * @typedef {import('./values.js').Value} Value
 * @typedef {import('./interpreter.js').Interpreter} Interpreter
 * @typedef {(node: Node, scope: Scope, run: Interpreter) => Value} Evaluate
 */

const CONSTANTS = new Set('true false none True False None'.split(' '));

/** Gives a value to names. @param {Node} target @param {Value} value @param {Scope} scope */
function assign(target, value, scope) {
  if (target.type === 'Group') return assign(target.inner, value, scope);
  if (target.type === 'Identifier') {
    if (CONSTANTS.has(target.value)) fail(`cannot assign to ${target.value}`);
    return void scope.set(target.value, value);
  }
  if (target.type !== 'TupleLiteral') return unsupported('an assignment to this');
  const parts = elements(value);
  if (value === undefined || parts.length !== target.value.length)
    fail(`${target.value.length} names are given ${parts.length} values`);
  for (const [i, one] of target.value.entries()) assign(one, parts[i], scope);
}

/** @type {Evaluate} */
function set({ assignee, value, body }, scope, run) {
  let target = assignee;
  /** Filters of a block, the last one first. @type {Node[]} */
  const filters = [];
  for (; target.type === 'FilterExpression'; target = target.operand) filters.push(target.filter);
  let result = value ? run.evaluate(value, scope) : run.block(body, frameOf(body, scope));
  if (run.flow) return '';
  for (const filter of filters.reverse()) result = applied(filter, result, scope, run);
  if (target.type !== 'MemberExpression' || target.computed) assign(target, result, scope);
  else {
    const object = run.evaluate(target.object, scope);
    if (!(object instanceof Namespace))
      return fail(`cannot assign an attribute of a ${typeOf(object)}; expected a namespace`);
    object.attributes.set(target.property.value, result);
  }
  return '';
}

/** @type {Evaluate} */
function loop({ loopvar, iterable, body, defaultBlock }, scope, run) {
  const [source, test] =
    iterable.type === 'SelectExpression' ? [iterable.lhs, iterable.test] : [iterable, null];
  if (source.type === 'Ternary') fail('a loop over "a if b else c" needs parentheses');
  const given = elements(run.evaluate(source, scope));
  run.budget.runs(given.length);
  const items = given.filter((one) => {
    if (!test) return true;
    const inner = new Scope(scope);
    assign(loopvar, one, inner);
    return truth(run.evaluate(test, inner));
  });
  let text = '';
  /** Whether a body ran to its end; without one the loop goes on with `else`. */
  let ended = false;
  /** @type {{ last: Value[] | null }} */
  const changes = { last: null };
  for (const [i, one] of items.entries()) {
    const inner = frameOf(body, scope);
    inner.set('loop', loopObject(items, i, changes));
    assign(loopvar, one, inner);
    text += run.block(body, inner);
    const { flow } = run;
    run.flow = null;
    if (flow === 'Break') break;
    ended ||= !flow;
  }
  return ended ? text : text + run.block(defaultBlock, frameOf(defaultBlock, scope));
}

/** @param {Value[]} items @param {number} i @param {{ last: Value[] | null }} changes */
function loopObject(items, i, changes) {
  const { length } = items;
  return new Attributes('LoopContext', {
    index: i + 1,
    index0: i,
    revindex: length - i,
    revindex0: length - i - 1,
    first: i === 0,
    last: i === length - 1,
    length,
    previtem: items[i - 1],
    nextitem: items[i + 1],
    depth: 1,
    depth0: 0,
    cycle: new Callable('loop.cycle', (all) =>
      all.length ? all[i % all.length] : fail('no items for cycling given'),
    ),
    changed: new Callable('loop.changed', (all) => {
      const same = changes.last !== null && equal(changes.last, all);
      if (!same) changes.last = all;
      return !same;
    }),
  });
}

/** @type {Record<string, Evaluate>} */
export const STATEMENTS = {
  Program: ({ body }, scope, run) => run.block(body, frameOf(body, scope)),
  Set: set,
  If: ({ test, body, alternate }, scope, run) =>
    run.block(truth(run.evaluate(test, scope)) ? body : alternate, scope),
  For: loop,
  Macro(node, scope, run) {
    scope.set(node.name.value, macroOf(node.name.value, node, scope, run));
    return '';
  },
  CallStatement({ call, callerArgs, body }, scope, run) {
    const caller = macroOf('caller', { args: callerArgs ?? [], body }, scope, run);
    const called = run.evaluate(call.callee, scope);
    const { args, named } = argumentsOf(call.args, scope, run);
    if (!(called instanceof Callable)) return fail(`'${typeOf(called)}' object is not callable`);
    run.budget.runs();
    return called.call(args, new Map([...named, ['caller', caller]]));
  },
  FilterStatement({ filter, body }, scope, run) {
    const text = run.block(body, frameOf(body, scope));
    return run.flow ? '' : applied(filter, text, scope, run);
  },
  Break(node, scope, run) {
    run.flow = 'Break';
    return '';
  },
  Continue(node, scope, run) {
    run.flow = 'Continue';
    return '';
  },
  Comment: () => '',
};
