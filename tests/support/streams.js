/** Bytes that arrive in given pieces, and steps of tests with an opened model. */
import assert from 'node:assert/strict';
import { ClearheadError } from '../../src/js/index.js';
import { openModel } from '../../src/js/model/files/open.js';
import { readConfig } from '../../src/js/model/files/config.js';
import { matchTensors } from '../../src/js/model/files/tensors.js';
import { openTokenizer } from '../../src/js/model/text/tokenizer.js';

/** A Response whose body comes in chunks of `size`; it does not say how long it is. */
export function inChunks(bytes, size, headers = {}) {
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, (at += size)));
    },
  });
  return new Response(body, { headers });
}

/** Everything an opened model says, and the bytes of every tensor. */
export async function readWhole(source, options) {
  const file = await openModel(source, options);
  const data = new Map();
  await file.stream({
    write(tensor, offset, chunk) {
      if (!data.has(tensor.name)) data.set(tensor.name, new Uint8Array(tensor.bytes));
      data.get(tensor.name).set(chunk, offset);
    },
  });
  return { format: file.format, metadata: file.metadata, tensors: file.tensors, data };
}

/** Opens a model the way a loader would, up to its last byte. */
export async function loadWhole(source) {
  const file = await openModel(source);
  try {
    const config = await readConfig(file);
    const tensors = matchTensors(config, file);
    const tokenizer = await openTokenizer(file);
    const encoded = tokenizer?.encode('ab aba', { special: true });
    let received = 0;
    await file.stream({ write: (tensor, offset, chunk) => void (received += chunk.length) });
    assert.equal(
      received,
      file.tensors.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    return { config, tensors, encoded };
  } finally {
    await file.cancel();
  }
}

/** Whether loading ended in an error of ours that says where; anything else is thrown. */
export async function refused(load) {
  try {
    await load();
    return null;
  } catch (error) {
    if (!(error instanceof ClearheadError)) throw error;
    assert.match(error.code, /^(ARG|SHAPE|RANGE|DETACHED|LIMIT|FORMAT|INTEGRITY|NET)$/);
    assert.ok(error.message.length < 600, error.message);
    return error;
  }
}

/** That loading ends in this error. */
export async function refuses(load, code, message) {
  const error = await refused(load);
  assert.ok(error, `expected ${code} ${message}`);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
}

/**
 * A stream of bytes that writes into its reader's memory, `size` at most.
 * @param {(view: Uint8Array) => void} [look] at that memory
 */
export function filling(content, size, look) {
  let at = 0;
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const request = controller.byobRequest;
      const { buffer, byteOffset, byteLength } = request.view;
      const view = new Uint8Array(buffer, byteOffset, byteLength);
      look?.(view);
      const piece = content.subarray(at, (at += Math.min(size, byteLength)));
      view.set(piece);
      if (!piece.length) controller.close();
      request.respond(piece.length);
    },
  });
}
