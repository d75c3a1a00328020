/**
 * A GGUF file whose matrices have their own numbers in another order. Vectors, such as those of
 * norms, stay as they are. The numbers are written as float32, so none is rounded.
 */
import { joined, Reader } from '../../../src/js/model/files/bytes.js';
import { TYPES } from '../../../src/js/model/files/formats.js';
import { readGguf } from '../../../src/js/model/files/gguf.js';
import { readMetadata } from '../../../src/js/model/files/metadata.js';
import { openSource } from '../../../src/js/model/files/source.js';
import { uniforms } from '../../math/example.js';

/** @typedef {import('../../../src/js/model/types.d.ts').TensorInfo} TensorInfo */

/** Bytes of the header before the metadata: the magic, the version and two counts. */
const HEADER = 24;

/** The value of a float16. @param {number} bits */
function half(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size =
    exponent === 31
      ? fraction
        ? NaN
        : Infinity
      : exponent
        ? (1 + fraction / 1024) * 2 ** (exponent - 15)
        : fraction * 2 ** -24;
  return bits & 0x8000 ? -size : size;
}

/**
 * The numbers of a tensor.
 * @param {Uint8Array} file @param {TensorInfo} tensor
 */
export function numbersOf(file, { name, type, shape, offset }) {
  const count = shape.reduce((product, size) => product * size, 1);
  const view = new DataView(file.buffer, file.byteOffset + offset);
  const halfAt = (/** @type {number} */ at) => half(view.getUint16(at, true));
  /** @type {Partial<Record<typeof type, (i: number) => number>>} */
  const readers = {
    F32: (i) => view.getFloat32(4 * i, true),
    F16: (i) => halfAt(2 * i),
    Q8_0: (i) => {
      const { block, bytes } = TYPES.Q8_0;
      const at = Math.floor(i / block) * bytes;
      return halfAt(at) * view.getInt8(at + 2 + (i % block));
    },
  };
  const read = readers[type];
  if (!read) throw new Error(`${name} is ${type}, which is not shuffled here`);
  return Float32Array.from({ length: count }, (_, i) => read(i));
}

/** In another order, each order as likely as any other. @param {Float32Array} numbers */
export function shuffled(numbers, /** @type {() => number} */ random) {
  const moved = numbers.slice();
  for (let i = moved.length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    [moved[i], moved[other]] = [moved[other], moved[i]];
  }
  return moved;
}

/** Whether a tensor is a matrix. @param {TensorInfo} tensor */
const isMatrix = ({ shape }) => shape.filter((size) => size > 1).length > 1;

/** @param {Uint8Array} file */
async function tensorsOf(file) {
  const { metadata, tensors } = await readGguf(new Reader(await openSource(file)));
  return { alignment: Number(metadata.get('general.alignment') ?? 32), tensors };
}

/** Where the metadata end. @param {Uint8Array} file */
async function endOfMetadata(file) {
  const reader = new Reader(await openSource(file));
  await reader.need(HEADER, 'the header');
  reader.bytes(HEADER);
  const keys = new DataView(file.buffer, file.byteOffset).getBigUint64(16, true);
  await readMetadata(reader, Number(keys));
  return reader.at;
}

/** @param {number} size @param {(view: DataView) => void} set */
function number(size, set) {
  const bytes = new Uint8Array(size);
  set(new DataView(bytes.buffer));
  return bytes;
}
const u32 = (/** @type {number} */ x) => number(4, (view) => view.setUint32(0, x, true));
const u64 = (/** @type {number} */ x) => number(8, (view) => view.setBigUint64(0, BigInt(x), true));

/** The entry of a float32 tensor in the list. @param {TensorInfo} tensor */
function entry({ name, shape }, /** @type {number} */ offset) {
  const text = new TextEncoder().encode(name);
  // the fastest axis is named first
  const sizes = [...shape].reverse().map(u64);
  return [u64(text.length), text, u32(shape.length), ...sizes, u32(TYPES.F32.id), u64(offset)];
}

/**
 * The file with shuffled matrices, and its count of them.
 * @param {Uint8Array} file @param {number} seed
 */
export async function shuffle(file, seed) {
  const { alignment, tensors } = await tensorsOf(file);
  const random = uniforms(seed);
  const whole = (/** @type {number} */ length) => Math.ceil(length / alignment) * alignment;
  /** @type {Uint8Array[]} */
  const head = [file.subarray(0, await endOfMetadata(file))];
  /** @type {Uint8Array[]} */
  const data = [];
  let offset = 0;
  let [matrices, numbers] = [0, 0];
  for (const tensor of tensors) {
    const plain = numbersOf(file, tensor);
    const mixed = isMatrix(tensor) ? shuffled(plain, random) : plain;
    if (isMatrix(tensor)) {
      matrices++;
      numbers += mixed.length;
    }
    head.push(...entry(tensor, offset));
    const bytes = new Uint8Array(whole(mixed.byteLength));
    bytes.set(new Uint8Array(mixed.buffer));
    data.push(bytes);
    offset += bytes.length;
  }
  const length = head.reduce((sum, { length: bytes }) => sum + bytes, 0);
  head.push(new Uint8Array(whole(length) - length));
  const bytes = joined([...head, ...data], whole(length) + offset);
  return { bytes, matrices, numbers };
}

/**
 * How many numbers of a tensor are lost: those of a matrix may have other places, and those of a
 * vector may not.
 * @param {Float32Array} before @param {Float32Array} after @param {boolean} anywhere
 */
export function lostNumbers(before, after, anywhere) {
  const sorted = (/** @type {Float32Array} */ x) => (anywhere ? x.slice().sort() : x);
  const [a, b] = [sorted(before), sorted(after)];
  let lost = Math.abs(a.length - b.length);
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) lost++;
  return lost;
}

/**
 * Reads both files, and compares them tensor by tensor.
 * @param {Uint8Array} before @param {Uint8Array} after
 */
export async function compareFiles(before, after) {
  const { tensors } = await tensorsOf(before);
  const there = new Map((await tensorsOf(after)).tensors.map((each) => [each.name, each]));
  let [lost, moved] = [0, 0];
  for (const tensor of tensors) {
    const other = there.get(tensor.name);
    const plain = numbersOf(before, tensor);
    const mixed = other ? numbersOf(after, other) : new Float32Array();
    lost += lostNumbers(plain, mixed, isMatrix(tensor));
    for (let i = 0; i < mixed.length; i++) if (plain[i] !== mixed[i]) moved++;
  }
  return { lost, moved };
}
