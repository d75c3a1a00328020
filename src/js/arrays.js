/**
 * Typed arrays as the language itself knows them, in each realm. Properties that an object or its
 * class puts in front do not count: a length says which memory is read and written.
 */

const TYPED = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(Uint8Array.prototype));
const VIEW = Object.getOwnPropertyDescriptors(DataView.prototype);

/** @template T @typedef {(this: unknown) => T} Getter */

const kind = /** @type {Getter<string | undefined>} */ (
  /** @type {Record<symbol, PropertyDescriptor>} */ (TYPED)[Symbol.toStringTag].get
);
const length = /** @type {Getter<number>} */ (TYPED.length.get);
const buffer = /** @type {Getter<ArrayBuffer>} */ (TYPED.buffer.get);

/** The kind of a view, '' for anything else. @param {unknown} x */
export const kindOf = (x) => kind.call(x) ?? (ArrayBuffer.isView(x) ? 'DataView' : '');

/** The length of a typed array, or of another list. @param {{ length: number }} x */
export const lengthOf = (x) => (ArrayBuffer.isView(x) ? length.call(x) : x.length);

/** The buffer of a typed array. @param {unknown} x */
export const bufferOf = (x) => buffer.call(x);

/**
 * The buffer of a view and its place there, in bytes; all of a buffer.
 * @param {ArrayBufferView | ArrayBuffer} x
 * @returns {{ buffer: ArrayBuffer, at: number, bytes: number }}
 */
export function extentOf(x) {
  if (!ArrayBuffer.isView(x)) return { buffer: x, at: 0, bytes: x.byteLength };
  const from = kind.call(x) ? TYPED : VIEW;
  /** @param {'buffer' | 'byteOffset' | 'byteLength'} name @returns {any} */
  const get = (name) => {
    try {
      return /** @type {Getter<any>} */ (from[name].get).call(x);
    } catch {
      return 0; // of a detached DataView, as of a detached array
    }
  };
  return { buffer: get('buffer'), at: get('byteOffset'), bytes: get('byteLength') };
}

/** The bytes of a view or a buffer, not copied. @param {ArrayBufferView | ArrayBuffer} x */
export function bytesOfView(x) {
  const { buffer, at, bytes } = extentOf(x);
  return new Uint8Array(buffer, at, bytes);
}

/**
 * Detached, or resizable and so perhaps cut off.
 * @param {ArrayBufferLike & { resizable?: boolean, growable?: boolean }} buffer
 */
export function isGone(buffer) {
  try {
    new Uint8Array(buffer); // throws where it is detached
    return buffer.resizable || buffer.growable;
  } catch {
    return true;
  }
}
