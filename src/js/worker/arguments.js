import { live } from '../errors.js';
import { isArrayBuffer, isPlain } from '../kinds.js';

/**
 * The arguments of each method that may be arrays or have them, before its options.
 * @typedef {Record<string, string[]>} Names
 */

/** Those of attention and of a model. @type {Names} */
export const NAMES = {
  append: ['k', 'v'],
  attend: ['q', 'cache'],
  attention: ['q', 'k', 'v'],
  chat: ['messages'],
  decode: ['ids'],
  encode: ['text'],
  generate: ['prompt'],
  intervene: ['interventions'],
  loadModel: ['source'],
  prefill: ['tokens'],
  rank: ['query', 'passages'],
  restore: ['snapshot'],
  step: ['token'],
  sweep: ['prompt'],
  trace: ['prompt'],
  traceBytes: ['prompt'],
};

/** Objects inside an argument that are looked into. */
const DEPTH = 8;

/**
 * Refuses a detached array among the arguments of a call by its name, as the call here does.
 * @param {string} f the method that was called
 * @param {readonly unknown[]} given
 * @param {Names} names
 */
export const checkLive = (f, given, names) =>
  given.forEach((x, at) => check(names[f]?.[at] ?? 'options', x, DEPTH));

/** @param {string} name @param {unknown} x @param {number} depth */
function check(name, x, depth) {
  if (ArrayBuffer.isView(x) || isArrayBuffer(x)) live(name, x);
  else if (!depth) return;
  else if (Array.isArray(x)) x.forEach((one, at) => check(`${name}[${at}]`, one, depth - 1));
  else if (isPlain(x))
    for (const [key, one] of Object.entries(x))
      check(/^(options|source|engine)$/.test(name) ? key : `${name}.${key}`, one, depth - 1);
}
