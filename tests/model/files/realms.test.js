/** Sources of another realm, and streams. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { abortSignal } from '../../../src/js/check.js';
import { cancelStreams, openSource, readAll } from '../../../src/js/model/files/source.js';

const bytes = Uint8Array.of(1, 2, 3, 4, 5);
const read = (source) => readAll(source, { maxBytes: 100 });

/** A File as jsdom has them: neither `stream` nor `arrayBuffer`. */
class OldFile {
  size = bytes.length;
  type = '';
  name = 'old.gguf';
  slice() {}
}

/** Reads an OldFile, as jsdom's does. */
class OldReader {
  readAsArrayBuffer() {
    this.result = bytes.slice().buffer;
    queueMicrotask(() => this.onload());
  }
}

test('buffers and Blobs of another realm are read', async () => {
  const buffer = runInNewContext('Uint8Array.of(1, 2, 3, 4, 5).buffer');
  const blob = { size: 5, type: '', slice() {}, arrayBuffer: async () => bytes.slice().buffer };
  assert.deepEqual(await read(buffer), bytes);
  assert.deepEqual(await read(blob), bytes);
});

test('a File without stream is read by a FileReader', async (t) => {
  globalThis.FileReader = OldReader;
  t.after(() => delete globalThis.FileReader);
  assert.deepEqual(await read(new OldFile()), bytes);
});

test('streams of the web and of Node are read', async () => {
  assert.deepEqual(await read(new Blob([bytes]).stream()), bytes);
  assert.deepEqual(await read(Readable.from([bytes.subarray(0, 2), bytes.subarray(2)])), bytes);
  const web = ReadableStream.from([bytes.subarray(0, 0), bytes]);
  assert.deepEqual(await read(web), bytes);
});

test('a stream of text is refused', async () => {
  await assert.rejects(read(Readable.from(['text'])), { code: 'FORMAT', message: /"text"/ });
});

test('a stream that nobody reads is cancelled', async () => {
  const node = Readable.from([bytes]);
  let cancelled = false;
  const web = new ReadableStream({ cancel: () => void (cancelled = true) });
  cancelStreams({ weights: [node, web] });
  assert.ok(node.destroyed && cancelled);
});

test('a signal of another realm aborts', async () => {
  const listeners = [];
  const signal = { aborted: false, addEventListener: (_, f) => listeners.push(f) };
  const own = abortSignal(signal);
  assert.ok(own instanceof AbortSignal && !own.aborted);
  signal.reason = new Error('enough');
  for (const listener of listeners) listener();
  await assert.rejects(openSource(new Blob([bytes]), { signal: own }), /enough/);
});
