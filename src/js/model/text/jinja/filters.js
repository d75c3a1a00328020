/** All filters by name, and those that apply others. */
import { bind } from './arguments.js';
import { LIST_FILTERS, getter } from './filters-lists.js';
import { TEXT_FILTERS, format } from './filters-text.js';
import { passes } from './tests.js';
import { Stream, elements, fail, truth, unsupported } from './values.js';

/** @typedef {import('./values.js').Value} Value */

const FILTERS = { ...TEXT_FILTERS, ...LIST_FILTERS };

/**
 * @param {string} name
 * @param {Value} x
 * @param {Value[]} args
 * @param {Map<string, Value>} [named]
 * @returns {Value}
 */
export function filtered(name, x, args, named = new Map()) {
  if (name === 'map') return mapped(x, args, named);
  const selection = /^(select|reject)(attr)?$/.exec(name);
  if (selection) return selected(x, args, named, selection[1] === 'select', Boolean(selection[2]));
  if (name === 'format') return named.size ? unsupported('format by names') : format(x, args);
  if (!Object.hasOwn(FILTERS, name)) return unsupported(`the filter "${name}"`);
  const [names, required, f] = FILTERS[name];
  return f(x, bind(`the filter "${name}"`, names, args, named, required));
}

/** @param {Value} x @param {Value[]} args @param {Map<string, Value>} named */
function mapped(x, args, named) {
  if (!truth(x)) return new Stream([]); // also none, as in jinja2
  if (args.length) {
    const [name, ...rest] = args;
    return new Stream(Array.from(elements(x), (one) => filtered(name, one, rest, named)));
  }
  const given = bind('the filter "map"', ['attribute', 'default'], [], named);
  if (!('attribute' in given)) fail('map requires a filter argument');
  return new Stream(Array.from(elements(x), getter(given.attribute, given.default)));
}

/**
 * @param {Value} x
 * @param {Value[]} args
 * @param {Map<string, Value>} named
 * @param {boolean} wanted whether those that pass are kept
 * @param {boolean} byAttribute
 */
function selected(x, args, named, wanted, byAttribute) {
  if (!truth(x)) return new Stream([]);
  if (byAttribute && !args.length) fail('Missing parameter for attribute name');
  const find = byAttribute ? getter(args[0]) : (/** @type {Value} */ one) => one;
  const [test, ...rest] = byAttribute ? args.slice(1) : args;
  const all = elements(x).filter((one) => {
    const value = find(one);
    return (test === undefined ? truth(value) : passes(test, value, rest, named)) === wanted;
  });
  return new Stream(all);
}
