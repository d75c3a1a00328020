/** Promises of sources, and objects that are none; the same for a model in a worker. */
import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import * as here from '../../../src/js/model/index.js';
import * as worker from '../../../src/js/worker/client.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';
import { tinyGguf } from '../../support/models/tiny-models.js';

const { weights, config } = asSafetensors(tiny(configs['llama, tied, grouped']));
const json = () => new Response(JSON.stringify(config));
const failure = () => Promise.reject(new TypeError('fetch failed'));
const resolved = (x) => Promise.resolve(x);
class MyModel {}

const PROMISES = {
  'a response': () => resolved(new Response(tinyGguf())),
  bytes: () => resolved(tinyGguf()),
  files: () => resolved({ weights, config }),
  'each of the files': () => ({ weights: resolved(weights), config: resolved(json()) }),
  'one of several files': () => ({ weights: [resolved(weights)], config }),
};

const KINDS = 'a URL, a Blob, a Response, a stream';
const REFUSED = {
  'a request': [() => new Request('http://localhost:1/x'), 'source is of class Request'],
  'shared memory': [() => new SharedArrayBuffer(8), 'source is of class SharedArrayBuffer'],
  'a map': [() => new Map(), 'source is of class Map'],
  'an object of a class': [() => new MyModel(), 'source is of class MyModel'],
  'a promise of such': [() => resolved(new MyModel()), 'source is of class MyModel'],
  'a list': [() => [weights], 'source is an array of 1'],
  'a map as weights': [() => ({ weights: new Map(), config }), 'weights is of class Map'],
  'a map as config': [() => ({ weights, config: new Map() }), 'config is of class Map'],
  'a list with a map': [() => ({ weights: [weights, new Map()] }), 'weights[1] is of class Map'],
};

for (const [place, { loadModel }] of Object.entries({ here, 'in a worker': worker }))
  describe(place, () => {
    for (const [name, make] of Object.entries(PROMISES))
      test(`a promise of ${name} is waited for`, async () => {
        const model = await loadModel(make());
        assert.ok(model.config.layers > 0);
        await model.dispose();
      });

    for (const [name, [make, message]] of Object.entries(REFUSED))
      test(`${name} is refused by its class`, () =>
        assert.rejects(loadModel(make()), (error) => {
          assert.deepEqual([error.name, error.code], ['ClearheadError', 'ARG']);
          assert.ok(error.message.startsWith(`${message}; expected ${KINDS}`), error.message);
          return true;
        }));

    test('an open file is refused by its class', async () => {
      const file = await open(fileURLToPath(import.meta.url));
      const message = /^source is of class FileHandle; /;
      await assert.rejects(loadModel(file), { code: 'ARG', message }).finally(() => file.close());
    });

    test('a Blob of a file on the disk is read', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'clearhead-blob-'));
      try {
        await writeFile(join(folder, 'model.gguf'), tinyGguf());
        const model = await loadModel(await openAsBlob(join(folder, 'model.gguf')));
        assert.ok(model.config.layers > 0);
        await model.dispose();
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    test('a stream and a Response that are being read are refused', async () => {
      const { body } = new Response(tinyGguf());
      body.getReader();
      const message = /^weights is a stream that is being read; expected a fresh one$/;
      await assert.rejects(loadModel(body), { code: 'ARG', message });
      const response = new Response(tinyGguf());
      response.body.getReader();
      const used = /^weights is a Response that has been read; expected a fresh one$/;
      await assert.rejects(loadModel(response), { code: 'ARG', message: used });
    });

    test('a promise that fails is told as a source that fails', async () => {
      const message = 'source could not be opened: fetch failed';
      await assert.rejects(loadModel(failure()), { code: 'NET', message });
      const part = { code: 'NET', message: 'config could not be opened: fetch failed' };
      await assert.rejects(loadModel({ weights, config: failure() }), part);
    });

    test('a promise that never settles can be aborted', async () => {
      const controller = new AbortController();
      const loading = loadModel(new Promise(() => {}), { signal: controller.signal });
      setTimeout(() => controller.abort(), 10);
      await assert.rejects(loading, { name: 'AbortError' });
    });
  });
