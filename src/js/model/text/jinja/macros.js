import { frameOf } from './frames.js';
import { mentions } from './tree.js';
import { Callable, Tuple, fail } from './values.js';

/**
 * @typedef {import('./tree.js').Node} Node
 * @typedef {import('./values.js').Value} Value
 */

/** Names that a macro has if it reads them. */
const SPECIAL = /** @type {const} */ (['caller', 'kwargs', 'varargs']);
/** Which of them a body reads. @type {WeakMap<object, Set<string>>} */
const read = new WeakMap();

/** @param {Node[]} body @param {string[]} parameters */
function specialOf(body, parameters) {
  const found = read.get(body);
  if (found) return found;
  const names = SPECIAL.filter((name) => !parameters.includes(name) && mentions(name, body));
  const fresh = new Set(/** @type {string[]} */ (names));
  read.set(body, fresh);
  return fresh;
}

/**
 * A macro sees the variables around its definition, not those around a call.
 * @param {string} name
 * @param {{ args: Node[], body: Node[] }} node
 * @param {import('./scope.js').Scope} scope
 * @param {import('./interpreter.js').Interpreter} run
 */
export function macroOf(name, { args: parameters, body }, scope, run) {
  const names = parameters.map((one) => one.key?.value ?? one.value);
  const special = specialOf(body, names);
  return new Callable(name, (args, named) => {
    const inner = frameOf(body, scope);
    const rest = new Map(named);
    for (const [i, one] of names.entries()) {
      if (i < args.length && rest.has(one)) fail(`the macro ${name} is given "${one}" twice`);
      inner.set(one, i < args.length ? args[i] : rest.get(one));
    }
    for (const [i, { key, value }] of parameters.entries())
      if (key && i >= args.length && !rest.has(names[i]))
        inner.set(names[i], run.evaluate(value, inner));
    for (const one of names) rest.delete(one);
    if (special.has('caller')) {
      inner.set('caller', rest.get('caller'));
      rest.delete('caller');
    }
    if (special.has('varargs')) inner.set('varargs', Tuple.from(args.slice(names.length)));
    else if (args.length > names.length)
      fail(`the macro ${name} takes at most ${names.length} arguments`);
    if (special.has('kwargs')) inner.set('kwargs', rest);
    else if (rest.size) fail(`the macro ${name} takes no argument "${[...rest.keys()][0]}"`);
    return run.block(body, inner);
  });
}
