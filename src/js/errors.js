/** The one error of this package; see types.d.ts for the codes. */
export class ClearheadError extends Error {
  /**
   * @param {import('./types.d.ts').ErrorCode} code
   * @param {string} message
   * @param {{ cause?: unknown }} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.name = /** @type {const} */ ('ClearheadError');
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
 * Says what came without printing data: short things as they are, the others by kind and size.
 * @param {unknown} x
 */
export function describe(x) {
  if (typeof x === 'string') return JSON.stringify(x.slice(0, 60));
  if (ArrayBuffer.isView(x)) return `${kindOf(x)} of ${x.byteLength} bytes`;
  if (Array.isArray(x)) return `an array of ${x.length}`;
  const name = classOf(x);
  if (name && name !== 'Object') return `of class ${name.slice(0, 60)}`;
  return x && /^(obj|func|big)/.test(typeof x) ? `of type ${typeof x}` : String(x);
}

/** The class of an object, '' for anything else. @param {unknown} x @returns {string} */
function classOf(x) {
  try {
    const name = typeof x === 'object' && x && Object.getPrototypeOf(x)?.constructor?.name;
    return typeof name === 'string' ? name : '';
  } catch {
    return ''; // a proxy that refuses
  }
}

/**
 * The kind of a typed array, '' for anything else; holds across realms.
 * @param {unknown} x
 * @returns {string}
 */
export const kindOf = (x) =>
  ArrayBuffer.isView(x) ? /** @type {Uint8Array} */ (x)[Symbol.toStringTag] : '';

/** The words for a tensor or cache that cannot be used. @type {[string, string]} */
export const GONE = ['disposed of, or of another engine', 'a live one of this engine'];
