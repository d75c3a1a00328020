/** Safetensors that are written are read, in one file or several. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openModel } from '../../../src/js/model/files/open.js';
import { writeSafetensors } from '../../support/models/gguf-writer.js';
import { tinyConfig, tinyJson, tinyTensors } from '../../support/models/tiny-models.js';
import { inChunks, loadWhole, readWhole, refuses } from '../../support/streams.js';

const shared = new URL('../../../../shared/models/stories260K/', import.meta.url);
const skip = existsSync(shared) ? false : 'skipped, not present';
const folder = mkdtempSync(join(tmpdir(), 'clearhead-safetensors-'));
after(() => rmSync(folder, { recursive: true }));
const url = (name) => new URL(name, `${pathToFileURL(folder)}/`);
const save = (name, content) => writeFileSync(url(name), content);
const config = {};
const read = (weights) => readWhole({ weights, config });

describe('a written file is read back', () => {
  test('tensors of every type and rank, empty ones, notes, names like __proto__', async () => {
    const tensors = [
      { name: '__proto__', shape: [], data: [7] },
      { name: 'constructor', dtype: 'F16', shape: [2, 3] },
      { name: 'é', dtype: 'BF16', shape: [1, 1, 1, 1, 1, 1, 1, 5] },
      { name: 'empty', shape: [0, 4] },
      { name: 'last', shape: [2], data: [1, 2] },
    ];
    const header =
      '{"__metadata__":{"format":"pt"},"__proto__":{"dtype":"F32","shape":[],' +
      '"data_offsets":[0,4]},"constructor":{"dtype":"F16","shape":[2,3],"data_offsets":[4,' +
      '16]},' +
      '"\\u00e9":{"dtype":"BF16","shape":[1,1,1,1,1,1,1,5],"data_offsets":[16,26]},' +
      '"empty":{"dtype":"F32","shape":[0,4],"data_offsets":[26,26]},"last":{"dtype":"F32",' +
      '"shape":[2],"data_offsets":[26,34]}}   ';
    const got = await read(writeSafetensors({ tensors, header }));
    assert.deepEqual(
      got.tensors.map(({ name, type, shape }) => [name, type, shape]),
      tensors.map(({ name, dtype = 'F32', shape }) => [name, dtype, shape]),
    );
    assert.deepEqual(new Float32Array(got.data.get('last').buffer), Float32Array.of(1, 2));
    assert.deepEqual(new Float32Array(got.data.get('__proto__').buffer), Float32Array.of(7));
  });

  test('arrival in chunks of 1 to 64 bytes gives the same as one piece', async () => {
    const { weights } = tinyJson('gemma3');
    const whole = await read(weights);
    for (let size = 1; size <= 64; size++)
      assert.deepEqual(await read(inChunks(weights, size)), whole, `chunks of ${size}`);
  });

  for (const name of ['hf', 'interleaved'])
    test(
      `the real file ${name}/model.safetensors, with the files beside it`,
      { skip },
      async () => {
        const file = new URL(`${name}/model.safetensors`, shared);
        const bytes = readFileSync(file);
        const whole = await readWhole(file);
        assert.equal(whole.tensors.length, 47);
        for (const tensor of whole.tensors)
          assert.ok(
            bytes
              .subarray(tensor.offset, tensor.offset + tensor.bytes)
              .equals(whole.data.get(tensor.name)),
            tensor.name,
          );
        assert.equal(
          (await loadWhole(file)).config.ropeLayout,
          name === 'hf' ? 'half' : 'interleaved',
        );
      },
    );
});

describe('shards', () => {
  const tensors = tinyTensors('llama', 'json');
  const half = tensors.length >> 1;
  const shards = [tensors.slice(0, half), tensors.slice(half)].map((part) =>
    writeSafetensors({ tensors: part }),
  );
  const map = Object.fromEntries(
    tensors.map(({ name }, at) => [name, `model-0000${at < half ? 1 : 2}-of-00002.safetensors`]),
  );
  const index = (change = {}) =>
    JSON.stringify({ metadata: { total_size: 1 }, weight_map: { ...map, ...change } });
  save('model-00002-of-00002.safetensors', shards[1]);
  save('config.json', JSON.stringify(tinyConfig('llama')));
  save('model-00001-of-00002.safetensors', shards[0]);
  save('model-00002-of-00002.safetensors', shards[1]);
  save('model.safetensors.index.json', index());

  test('by their index, or as a list, they are the whole model', async () => {
    const whole = await readWhole(tinyJson('llama'));
    for (const source of [
      url('model.safetensors.index.json'),
      { weights: url('model.safetensors.index.json'), config },
      { weights: shards, config },
    ]) {
      const got = await readWhole(source);
      assert.deepEqual([...got.data].sort(), [...whole.data].sort());
      assert.equal(
        (
          await loadWhole(
            source === undefined
              ? source
              : { ...(source.weights ? source : { weights: source }), config: tinyConfig('llama') },
          )
        ).config.layers,
        2,
      );
    }
  });

  test('a query that opens one file opens those beside it', async () => {
    const server = createServer((request, response) => {
      const { pathname, search } = new URL(request.url, 'http://x');
      const file = url(`.${pathname}`);
      if (search !== '?token=a%20b' || !existsSync(file)) response.writeHead(403).end();
      else response.end(readFileSync(file));
    });
    await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
    try {
      const at = `http://127.0.0.1:${server.address().port}/model.safetensors.index.json`;
      assert.equal((await loadWhole(`${at}?token=a%20b#here`)).config.layers, 2);
      await refuses(() => openModel(at), 'NET', /status 403/);
    } finally {
      server.close();
    }
  });

  for (const [name, change, code, message] of [
    [
      'a path in the index',
      { 'model.norm.weight': '../model-00001-of-00002.safetensors' },
      'FORMAT',
      /plain name of a .safetensors file/,
    ],
    [
      'an address in the index',
      { 'model.norm.weight': 'https://example.com/x.safetensors' },
      'FORMAT',
      /plain name/,
    ],
    ['something else in the index', { 'model.norm.weight': 3 }, 'FORMAT', /plain name/],
    [
      'a tensor no file has',
      { more: 'model-00001-of-00002.safetensors' },
      'FORMAT',
      /the index names more/,
    ],
    [
      'a tensor in the other file',
      {
        'model.norm.weight': 'model-00001-of-00002.safetensors',
        'model.embed_tokens.weight': 'model-00002-of-00002.safetensors',
      },
      'FORMAT',
      /not where the index says/,
    ],
    [
      'a missing file',
      { 'model.norm.weight': 'model-00003-of-00002.safetensors' },
      'NET',
      /could not be opened/,
    ],
  ])
    test(name, async () => {
      save('wrong.safetensors.index.json', index(change));
      await refuses(() => openModel(url('wrong.safetensors.index.json')), code, message);
    });

  test('one tensor in two files', () =>
    refuses(
      () => openModel({ weights: [shards[0], shards[0]], config }),
      'FORMAT',
      /in two files/,
    ));
  test('no files at all', () =>
    refuses(() => openModel({ weights: [], config }), 'ARG', /without weights/));
});
