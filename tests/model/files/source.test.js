/** A model from any source of bytes is the same, and its progress counts each byte. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openModel } from '../../../src/js/model/files/open.js';
import { base, bytes, file } from '../../support/models/file-server.js';
import { tinyConfig } from '../../support/models/tiny-models.js';
import { filling, inChunks, readWhole } from '../../support/streams.js';

describe('one model from everywhere', () => {
  const sources = {
    'an address': () => `${base}/whole.gguf?download=true`,
    'a URL': () => new URL(`${base}/unsized.gguf`),
    'a file': () => file,
    'a file as text': () => file.href,
    'a Blob': () => new Blob([bytes]),
    'a File': () => new File([bytes], 'tiny.gguf'),
    'a Response': () => new Response(bytes),
    'a Response in pieces': () => inChunks(bytes, 11),
    'a Response that fills what it is given': () => new Response(filling(bytes, 11)),
    'an ArrayBuffer': () => bytes.slice().buffer,
    'a view inside a buffer': () =>
      new Uint8Array([1, 2, 3, ...bytes, 4]).subarray(3, bytes.length + 3),
    'a DataView': () => new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
    'weights without anything': () => ({ weights: bytes }),
  };
  for (const [name, source] of Object.entries(sources))
    test(name, async () => assert.deepEqual(await readWhole(source()), await readWhole(bytes)));

  test('the files beside safetensors; a web page is none of them', async () => {
    const model = await openModel(`${base}/hf/model.safetensors`);
    await model.cancel();
    assert.deepEqual(model.json, { config: tinyConfig('llama'), chatTemplate: '{{ messages }}' });
  });
});

describe('progress', () => {
  for (const [name, source, known] of [
    ['with a known length has the total from the beginning', () => new Blob([bytes]), true],
    ['without has the total once the header is read', () => inChunks(bytes, 100), false],
  ])
    test(name, async () => {
      const seen = [];
      await readWhole(source(), { onProgress: (progress) => seen.push(progress) });
      const first = seen.findIndex(({ total }) => total !== undefined);
      assert.ok(known ? first === 0 : first > 0 && first < seen.length - 2, `${first}`);
      seen.forEach(({ loaded, total }, at) => {
        assert.equal(total, at < first ? undefined : bytes.length);
        assert.ok(!at || loaded >= seen[at - 1].loaded);
      });
      assert.equal(seen.at(-1).loaded, bytes.length);
      assert.equal(
        new Set(seen.map((progress) => JSON.stringify(progress))).size,
        seen.length,
        'nothing is told twice',
      );
    });
});
