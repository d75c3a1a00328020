/**
 * The ONNX project's own test cases, where a copy lies beside this repository, and their
 * translation into calls of the public API. The files are safetensors with the operator and its
 * attributes in the metadata.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../../shared/conformance/onnx/', import.meta.url);
export const present = existsSync(folder);

/** An IEEE half as a number. */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return (
    sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024))
  );
}

const readers = {
  F32: (bytes) => new Float32Array(bytes),
  F64: (bytes) => new Float64Array(bytes),
  F16: (bytes) => Float32Array.from(new Uint16Array(bytes), half),
  I64: (bytes) => Int32Array.from(new BigInt64Array(bytes), Number),
  BOOL: (bytes) => new Uint8Array(bytes),
};

function read(name) {
  const file = readFileSync(new URL(name, folder));
  const header = Number(file.readBigUInt64LE(0));
  const { __metadata__: meta, ...entries } = JSON.parse(file.toString('utf8', 8, 8 + header));
  const tensors = {};
  for (const [
    key,
    {
      dtype,
      shape,
      data_offsets: [from, to],
    },
  ] of Object.entries(entries)) {
    const bytes = Uint8Array.from(file.subarray(8 + header + from, 8 + header + to)).buffer;
    tensors[key] = { data: readers[dtype](bytes), shape, dtype };
  }
  return {
    name: name.replace('.safetensors', ''),
    op: meta.op,
    attributes: JSON.parse(meta.attributes),
    outputs: JSON.parse(meta.outputs),
    tensors,
  };
}

/** @param {string[]} ops */
export function load(ops) {
  if (!present) return [];
  return readdirSync(folder)
    .filter((f) => f.endsWith('.safetensors'))
    .map(read)
    .filter((c) => ops.includes(c.op));
}

/**
 * An Attention or FlexAttention case as arguments of `attention`. `past` (positions in the cache
 * before the call) is 0 without one; k and v then hold all keys, otherwise the new ones.
 */
export function translate({ attributes, tensors }) {
  const { Q, K, V, attn_mask: mask, past_key: past, nonpad_kv_seqlen: lengths } = tensors;
  const flat = Q.shape.length === 3;
  const heads = flat ? attributes.q_num_heads : Q.shape[1];
  const kvHeads = flat ? attributes.kv_num_heads : K.shape[1];
  const batch = Q.shape[0];
  const m = Q.shape.at(-2);
  const pastLength = past ? past.shape[2] : 0;
  const headDim = Q.shape.at(-1) / (flat ? heads : 1);
  const valueDim = V.shape.at(-1) / (flat ? kvHeads : 1);
  const options = { batch, heads, kvHeads, headDim, valueDim, layout: flat ? 'bshd' : 'bhsd' };
  const {
    is_causal,
    scale,
    softcap,
    left_window_size: left = -1,
    right_window_size: right = -1,
  } = attributes;
  if (scale !== undefined) options.scale = scale;
  if (softcap !== undefined) options.softcap = softcap;
  if (is_causal) options.causal = true;
  if (left >= 0 || right >= 0)
    options.window = [left < 0 ? Infinity : left, right < 0 ? Infinity : right];
  if (mask) options.mask = { data: mask.data, shape: mask.shape };
  if (lengths) options.keyLengths = lengths.data;
  // without a past the causal mask is aligned to the top left; with padded keys, to the bottom
  // right of the real ones
  if (lengths) options.offset = lengths.data.map((x) => x - m);
  else if (past) options.offset = pastLength;
  return {
    q: Q.data,
    k: K.data,
    v: V.data,
    options,
    past: pastLength,
    m,
    keys: pastLength + K.shape.at(-2),
  };
}

/** Which result shows what `qk_matmul_output_mode` asks for. */
export const outputModes = ['raw', 'capped', 'masked', 'weights'];

/**
 * Rows of a Softmax or LogSoftmax case along its axis: [source position of each element of each
 * row].
 */
export function rowsOf({ attributes, tensors }) {
  const { shape } = tensors.input;
  const axis = ((attributes.axis ?? -1) + shape.length) % shape.length;
  const n = shape[axis];
  const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  const outer = shape.slice(0, axis).reduce((a, b) => a * b, 1);
  const rows = [];
  for (let o = 0; o < outer; o++)
    for (let x = 0; x < inner; x++)
      rows.push(Array.from({ length: n }, (_, j) => (o * n + j) * inner + x));
  return { n, rows };
}
