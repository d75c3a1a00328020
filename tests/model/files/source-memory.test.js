/** Reading a file needs little memory, whatever its size and its pieces. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openModel } from '../../../src/js/model/files/open.js';
import { bytes, folder } from '../../support/models/file-server.js';
import { Bytes, writeGguf, writeSafetensors } from '../../support/models/gguf-writer.js';
import { filling, inChunks, readWhole, refuses } from '../../support/streams.js';

describe('memory', () => {
  test('a model in 40 files uses at most 4 MB more memory than one in 4', async () => {
    const open = new URL('../../../src/js/model/files/open.js', import.meta.url).href;
    const program = `import { openModel } from ${JSON.stringify(open)};
      import { pathToFileURL } from 'node:url';
      const bufferBytes = () => (gc(), process.memoryUsage().arrayBuffers);
      const files = process.argv.slice(1).map((path) => pathToFileURL(path));
      const before = bufferBytes();
      const model = await openModel({ weights: files, config: {} });
      // the median: a piece that is just being read, or a file that is being closed, is kept for a
      // moment
      const all = [];
      await model.stream({ write: () => void all.push(bufferBytes() - before) });
      console.log(all.sort((a, b) => a - b)[all.length >> 1]);`;
    const paths = Array.from({ length: 40 }, (_, at) => join(folder, `shard-${at}.safetensors`));
    paths.forEach((path, at) =>
      writeFileSync(
        path,
        writeSafetensors({
          tensors: [{ name: `t${at}`, shape: [1000], data: new Float32Array(1000) }],
        }),
      ),
    );
    const [ofFour, ofForty] = [paths.slice(0, 4), paths].map((some) =>
      Number(
        execFileSync(
          process.execPath,
          ['--expose-gc', '--input-type=module', '-e', program, ...some],
          { encoding: 'utf8', env: { ...process.env, FORCE_COLOR: '0' } },
        ),
      ),
    );
    assert.ok(ofForty - ofFour < 2 ** 22, `${ofFour} bytes with 4 files, ${ofForty} with 40`);
  });

  test('256 MB pass through without being kept in memory', async () => {
    const size = 2 ** 28;
    const head = writeGguf({
      tensors: [{ name: 'big', shape: [size / 4], data: new Uint8Array(0) }],
    });
    // always the same chunk, so that the memory counted is the reader's, and not garbage that waits
    // for the collector
    const chunk = new Uint8Array(2 ** 20).fill(7);
    let sent = 0;
    let peak = 0;
    let received = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (!sent) controller.enqueue(head);
        if (sent >= size) return controller.close();
        controller.enqueue(chunk);
        sent += chunk.length;
      },
    });
    const bufferBytes = () => process.memoryUsage().arrayBuffers;
    const before = bufferBytes();
    const model = await openModel(new Response(body));
    await model.stream({
      write(tensor, offset, piece) {
        assert.equal(offset, received);
        assert.equal(piece[0], 7);
        received += piece.length;
        peak = Math.max(peak, bufferBytes() - before);
      },
    });
    assert.equal(received, size);
    assert.ok(peak < 2 ** 22, `${peak} bytes`);
  });

  test('pieces of a file, and of a stream, lie in the same memory one after another', async () => {
    const large = writeGguf({
      tensors: [{ name: 'big', shape: [5 * 2 ** 18], data: new Uint8Array(5 * 2 ** 20).fill(7) }],
    });
    const at = join(folder, 'large.gguf');
    writeFileSync(at, large);
    const buffers = new Set();
    const model = await openModel(pathToFileURL(at));
    await model.stream({ write: (tensor, offset, piece) => void buffers.add(piece.buffer) });
    assert.ok(buffers.size <= 2, `${buffers.size} buffers`);
    let fresh = 0;
    let pulls = 0;
    await readWhole(
      new Response(
        filling(large, 2 ** 16, (view) => (pulls++, (fresh += Number(view.every((x) => x === 0))))),
      ),
    );
    assert.ok(pulls > 80 && fresh < 5, `${fresh} of ${pulls} pieces had memory of their own`);
  });

  test('small pieces that arrive and are kept need no more memory than they have', async () => {
    const long = writeGguf({ metadata: { text: 'x'.repeat(2 ** 20) } });
    let peak = 0;
    const bufferBytes = () => process.memoryUsage().arrayBuffers;
    const before = bufferBytes();
    await readWhole(
      new Response(filling(long, 512, () => (peak = Math.max(peak, bufferBytes() - before)))),
    );
    assert.ok(peak < 2 ** 24, `${peak} bytes for ${long.length}`);
  });

  test('a stream that ends early while it has the memory says where', async () => {
    for (const length of [bytes.length - 1, bytes.length - 40, 100])
      await refuses(
        () => readWhole(new Response(filling(bytes.subarray(0, length), 64))),
        'INTEGRITY',
        new RegExp(`(ends|ended) (at|after) ${length}\\b`),
      );
  });

  test('a file that lies about its size is refused before it takes memory', async () => {
    const head = () => new Bytes().raw(new TextEncoder().encode('GGUF')).u32(3);
    const lies = {
      'a list of 16 million numbers': head()
        .u64(0)
        .u64(1)
        .string('k')
        .u32(9)
        .u32(12)
        .u64(2 ** 24),
      'a list of 4 million texts': head()
        .u64(0)
        .u64(1)
        .string('k')
        .u32(9)
        .u32(8)
        .u64(2 ** 22 - 1024),
      'a text of 16 MB': head()
        .u64(0)
        .u64(1)
        .string('k')
        .u32(8)
        .string('', 2 ** 24),
      '65536 tensors': head().u64(65536).u64(0),
      'a tensor of 64 GB': head()
        .u64(1)
        .u64(0)
        .string('a')
        .u32(1)
        .u64(2 ** 34)
        .u32(0)
        .u64(0),
    };
    for (const [name, lie] of Object.entries(lies)) {
      const before = process.memoryUsage().arrayBuffers;
      await refuses(() => readWhole(inChunks(lie.done(), 512)), 'INTEGRITY', /cut off/);
      assert.ok(process.memoryUsage().arrayBuffers - before < 2 ** 20, name);
    }
  });
});
