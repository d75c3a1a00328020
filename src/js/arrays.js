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
 * The buffer of a view and its place there, in bytes.
 * @param {ArrayBufferView} x
 */
export function extentOf(x) {
  const from = kind.call(x) ? TYPED : VIEW;
  /** @param {'byteOffset' | 'byteLength'} name */
  const number = (name) => /** @type {Getter<number>} */ (from[name].get).call(x);
  return {
    buffer: /** @type {Getter<ArrayBuffer>} */ (from.buffer.get).call(x),
    at: number('byteOffset'),
    bytes: number('byteLength'),
  };
}

/** The bytes of a view, not copied. @param {ArrayBufferView} x */
export function bytesOfView(x) {
  const { buffer, at, bytes } = extentOf(x);
  return new Uint8Array(buffer, at, bytes);
}
