/**
 * Readers of model files, written from the published layouts alone: the README of safetensors and
 * docs/gguf.md of ggml. They check what a strict reader may expect and share no code with src.
 */
import assert from 'node:assert/strict';
import { readRow } from '../models/blocks.js';

const SIZES = { F32: 4, F16: 2 };
const count = (shape) => shape.reduce((a, b) => a * b, 1);

/** [notes, Map of name to { type, shape, bytes }] */
export function readSafetensors(file) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const length = Number(view.getBigUint64(0, true));
  const { __metadata__: notes, ...entries } = JSON.parse(
    new TextDecoder('utf-8', { fatal: true }).decode(file.subarray(8, 8 + length)),
  );
  let end = 0;
  const tensors = new Map();
  for (const [name, { dtype, shape, data_offsets: range }] of Object.entries(entries)) {
    assert.equal(range[0], end, `${name} begins where the tensor before it ends`);
    end = range[1];
    assert.equal(range[1] - range[0], count(shape) * SIZES[dtype], name);
    const bytes = file.slice(8 + length + range[0], 8 + length + range[1]);
    tensors.set(name, { type: dtype, shape, bytes });
  }
  assert.equal(8 + length + end, file.length, 'nothing follows the last tensor');
  return [notes, tensors];
}

const TYPES = { 0: ['F32', 1, 4], 1: ['F16', 1, 2], 8: ['Q8_0', 32, 34] };

/** [Map of metadata, Map of name to { type, shape, bytes }] */
export function readGguf(file) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let at = 0;
  const u32 = () => view.getUint32((at += 4) - 4, true);
  const u64 = () => Number(view.getBigUint64((at += 8) - 8, true));
  const text = () => {
    const bytes = file.subarray(at + 8, at + 8 + Number(view.getBigUint64(at, true)));
    at += 8 + bytes.length;
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  };
  const value = (type) => {
    switch (type) {
      case 4:
        return u32();
      case 5:
        return view.getInt32((at += 4) - 4, true);
      case 6:
        return view.getFloat32((at += 4) - 4, true);
      case 7:
        return [false, true][file[at++]];
      case 8:
        return text();
      case 9: {
        const element = u32();
        return Array.from({ length: u64() }, () => value(element));
      }
    }
    return assert.fail(`a value of type ${type}`);
  };
  assert.equal(u32(), 0x46554747, 'GGUF');
  assert.equal(u32(), 3);
  const [tensorCount, keyCount] = [u64(), u64()];
  const metadata = new Map();
  for (let i = 0; i < keyCount; i++) metadata.set(text(), value(u32()));
  const entries = Array.from({ length: tensorCount }, () => {
    const name = text();
    const shape = Array.from({ length: u32() }, u64).reverse();
    return { name, shape, type: u32(), offset: u64() };
  });
  const alignment = metadata.get('general.alignment') ?? 32;
  const start = Math.ceil(at / alignment) * alignment;
  const tensors = new Map();
  let end = start;
  for (const { name, shape, type, offset } of entries) {
    assert.equal(offset % alignment, 0, `${name} is aligned`);
    assert.ok(start + offset >= end && start + offset < end + alignment, `${name} follows`);
    const [called, block, bytes] = TYPES[type];
    end = start + offset + (count(shape) / block) * bytes;
    tensors.set(name, { type: called, shape, bytes: file.slice(start + offset, end) });
  }
  assert.equal(file.length, Math.ceil(end / alignment) * alignment, 'the file ends padded');
  return [metadata, tensors];
}

/** The numbers of a tensor. */
export function numbersOf({ type, shape, bytes }) {
  const columns = shape.at(-1);
  const rows = count(shape) / columns;
  return Float32Array.from(
    Array.from({ length: rows }, (_, row) => [...readRow(type, bytes, row, columns).values]).flat(),
  );
}

/** A matrix of q or k as Hugging Face has it, from the order of rows in llama.cpp. */
export function unpaired(numbers, columns, headDim) {
  const rows = numbers.length / columns;
  const back = Array.from({ length: rows }, (_, row) => {
    const [head, channel] = [Math.floor(row / headDim), row % headDim];
    const pair = channel % (headDim / 2);
    return head * headDim + 2 * pair + (channel < headDim / 2 ? 0 : 1);
  });
  return Float32Array.from(
    back.flatMap((row) => [...numbers.subarray(row * columns, (row + 1) * columns)]),
  );
}
