/** Reading can be aborted at any time. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openModel } from '../../../src/js/model/files/open.js';
import { ticksAfterAbort } from '../../support/clock.js';
import { base, bytes } from '../../support/models/file-server.js';
import { writeGguf } from '../../support/models/gguf-writer.js';
import { inChunks, readWhole } from '../../support/streams.js';

describe('aborting', () => {
  test('before it begins', async () => {
    await assert.rejects(openModel(bytes, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    const reason = new Error('changed my mind');
    await assert.rejects(openModel(bytes, { signal: AbortSignal.abort(reason) }), reason);
  });

  for (const [name, source] of [
    ['a stalled download', () => `${base}/stalled.gguf`],
    [
      'a stream that never ends',
      () => new Response(new ReadableStream({ start: (c) => c.enqueue(bytes.slice(0, -5)) })),
    ],
  ])
    test(`${name} at once`, async () => {
      const abort = new AbortController();
      const model = await openModel(source(), { signal: abort.signal });
      const streamed = assert.rejects(model.stream({ write() {} }), { name: 'AbortError' });
      const ticks = await ticksAfterAbort(abort, streamed, { delay: 30 });
      assert.ok(ticks <= 20, `${ticks} ticks of a timer`);
    });

  const large = writeGguf({
    tensors: [{ name: 'large', shape: [2 ** 24], data: new Float32Array(2 ** 24) }],
  });
  const sources = {
    'bytes that are there already': () => large,
    'a stream that brings all at once': () =>
      new Response(new ReadableStream({ start: (c) => (c.enqueue(large), c.close()) })),
  };
  for (const [name, source] of Object.entries(sources))
    test(`of ${name}, long before its end`, async () => {
      const abort = new AbortController();
      const reason = new Error('enough');
      const model = await openModel(source(), { signal: abort.signal });
      let received = 0;
      // a kernel that takes 5 ms for each piece
      const write = (tensor, offset, { length }) => {
        received += length;
        for (const until = performance.now() + 5; performance.now() < until;);
      };
      const streamed = assert.rejects(model.stream({ write }), reason);
      const ticks = await ticksAfterAbort(abort, streamed, { reason });
      assert.ok(ticks <= 2, `${ticks} ticks of a timer`);
      assert.ok(received < 2 ** 25, `${received} bytes`);
    });

  test('from the progress listener', async () => {
    const abort = new AbortController();
    await assert.rejects(
      readWhole(inChunks(bytes, 200), {
        signal: abort.signal,
        onProgress: ({ loaded }) => loaded > 400 && abort.abort(),
      }),
      { name: 'AbortError' },
    );
  });
});
