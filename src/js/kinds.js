/**
 * Whether an object is of a kind, by the things it can do. `instanceof` fails for objects of
 * another realm: of a frame, of jsdom or happy-dom, of a context of node:vm.
 */

/** @typedef {Record<string | symbol, any>} Members */

/** @param {unknown} x @returns {x is Members} */
const isObject = (x) => typeof x === 'object' && x !== null;

/** @param {unknown} x @param {...(string | symbol)} names @returns {x is Members} */
const can = (x, ...names) => isObject(x) && names.every((name) => typeof x[name] === 'function');

/** The name that an object has within the language, in any realm. @param {unknown} x */
export const tagOf = (x) => Object.prototype.toString.call(x).slice(8, -1);

/** @param {unknown} x @returns {x is URL} */
const isUrl = (x) =>
  tagOf(x) === 'URL' ||
  (isObject(x) && typeof x.href === 'string' && can(x.searchParams, 'get', 'append'));

/** @param {unknown} x @returns {x is string | URL} */
export const isAddress = (x) => typeof x === 'string' || isUrl(x);

/** @param {unknown} x @returns {x is Response} */
export const isResponse = (x) =>
  can(x, 'arrayBuffer', 'clone') && typeof x.ok === 'boolean' && can(x.headers, 'get');

/**
 * A Blob or a File. Some have neither `stream` nor `arrayBuffer`.
 * @param {unknown} x
 * @returns {x is Blob}
 */
export const isBlob = (x) =>
  can(x, 'slice') && typeof x.size === 'number' && typeof x.type === 'string';

/** @param {unknown} x @returns {x is ArrayBuffer} */
export const isArrayBuffer = (x) => tagOf(x) === 'ArrayBuffer';

/** @param {unknown} x @returns {x is ReadableStream} */
export const isWebStream = (x) => can(x, 'getReader', 'cancel');

/** A stream of Node's, or anything else that brings its pieces one by one. @param {unknown} x */
export const isIterable = (x) => can(x, Symbol.asyncIterator);

/** Whatever brings bytes, and is not an object of fields. @param {unknown} x */
export const isSource = (x) =>
  isAddress(x) ||
  ArrayBuffer.isView(x) ||
  [isArrayBuffer, isBlob, isResponse, isWebStream, isIterable].some((is) => is(x));

/** An object as `{}` makes them. @param {unknown} x @returns {x is Members} */
export function isPlain(x) {
  if (!isObject(x) || Array.isArray(x)) return false;
  const prototype = Object.getPrototypeOf(x);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** @param {unknown} x @returns {x is PromiseLike<unknown>} */
export const isPromise = (x) => can(x, 'then');

/** @param {unknown} x @returns {x is AbortSignal} */
export const isAbortSignal = (x) => can(x, 'addEventListener') && typeof x.aborted === 'boolean';
