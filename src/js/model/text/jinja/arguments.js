import { Callable, fail } from './values.js';

/**
 * Arguments by name, as Python binds them.
 * @typedef {import('./values.js').Value} Value
 * @param {string} what is called
 * @param {readonly string[]} names of its parameters
 * @param {Value[]} args
 * @param {Map<string, Value>} named
 * @param {number} [required] parameters at the beginning
 * @returns {Record<string, Value>} those that are given
 */
export function bind(what, names, args, named, required = 0) {
  if (args.length > names.length)
    fail(`${what} takes at most ${names.length} arguments; it is given ${args.length}`);
  const given = Object.fromEntries(args.map((one, i) => [names[i], one]));
  for (const [name, one] of named) {
    if (!names.includes(name)) fail(`${what} takes no argument "${name}"`);
    if (name in given) fail(`${what} is given "${name}" twice`);
    given[name] = one;
  }
  for (const name of names.slice(0, required))
    if (!(name in given)) fail(`${what} lacks the argument "${name}"`);
  return given;
}

/**
 * A function of one object with its arguments.
 * @param {string} name
 * @param {readonly string[]} names of its parameters
 * @param {number} required parameters at the beginning
 * @param {(given: Record<string, Value>) => Value} f
 */
export const callable = (name, names, required, f) =>
  new Callable(name, (args, named) => f(bind(name, names, args, named, required)));

/**
 * The same for functions whose arguments have no names in Python.
 * @type {typeof callable}
 */
export const positional = (name, names, required, f) =>
  new Callable(name, (args, named) => {
    if (named.size) fail(`${name} takes no arguments by name`);
    return f(bind(name, names, args, named, required));
  });
