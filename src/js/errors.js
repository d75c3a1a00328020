import { extentOf, isGone, kindOf } from './arrays.js';

/** The one error of this package; see types.d.ts for the codes. */
export class ClearheadError extends Error {
  /**
   * Node prints it, and a minified class has another name.
   * @override
   */
  static name = /** @type {const} */ ('ClearheadError');

  /**
   * @param {import('./types.d.ts').ErrorCode} code
   * @param {string} message
   * @param {{ cause?: unknown }} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.name = ClearheadError.name;
    this.code = code;
  }
}

/**
 * @type {(code: import('./types.d.ts').ErrorCode, name: string, came: string | number, expected:
 *   string) => never}
 */
export function refuse(code, name, came, expected) {
  const needed = came === 'undefined' ? ' but required' : '';
  throw new ClearheadError(code, `${name} is ${came}${needed}; expected ${expected}`);
}

/**
 * Refuses an argument of another kind.
 * @type {(name: string, x: unknown, expected: string) => never}
 */
export function refuseKind(name, x, expected) {
  return refuse('ARG', name, describe(x), expected);
}

/**
 * Refuses a view or a buffer whose memory is gone.
 * @template {ArrayBufferView | ArrayBuffer} V
 * @param {string} name
 * @param {V} x
 */
export function live(name, x) {
  const { buffer, bytes } = extentOf(x);
  if (!bytes && isGone(buffer)) refuse('DETACHED', name, describe(x), 'a live array');
  return x;
}

/**
 * Says what came without printing data: short things as they are, the others by kind and size.
 * @param {unknown} x
 */
export function describe(x) {
  if (typeof x === 'string') return JSON.stringify(x.slice(0, 60));
  if (kindOf(x))
    return `${kindOf(x)} of ${extentOf(/** @type {ArrayBufferView} */ (x)).bytes} bytes`;
  if (Array.isArray(x)) return `an array of ${x.length}`;
  return classOf(x) || (x && /^(obj|func|big)/.test(typeof x) ? `of type ${typeof x}` : String(x));
}

/** All copies of this package find each other's objects by it. */
const BRAND = Symbol.for('clearhead');

/**
 * Says what an object is, or the objects of a class with this prototype.
 * @param {object} object
 * @param {string} what
 * @param {(x: unknown) => boolean} [isOne] of that class
 */
export const brand = (object, what, isOne = () => true) =>
  Object.defineProperty(object, BRAND, {
    /** @this {unknown} */
    get() {
      return [isOne(this) ? what : `a proxy or heir of ${what}`, ClearheadError];
    },
  });

/** The kind of an object of this package, or the class of another. @param {unknown} x */
function classOf(x) {
  try {
    const [what, copy] = /** @type {Record<symbol, [string, unknown]>} */ (x)?.[BRAND] ?? [];
    if (what) return what + (copy === ClearheadError ? '' : OF_ANOTHER_COPY);
    const name = typeof x === 'object' && x && Object.getPrototypeOf(x)?.constructor?.name;
    return name && name !== 'Object' && `of class ${name.slice(0, 60)}`;
  } catch {
    return ''; // a proxy that refuses, or a name that is none
  }
}

const OF_ANOTHER_COPY = ' of another copy of clearhead (import both from one entry)';

/** The words for a tensor or cache that cannot be used. @type {[string, string]} */
export const GONE = ['disposed of, or of another engine', 'a live one of this engine'];
