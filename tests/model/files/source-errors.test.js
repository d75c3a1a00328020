/** Sources that fail are named, with the reason. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openModel } from '../../../src/js/model/files/open.js';
import { base, bytes, file, html } from '../../support/models/file-server.js';
import { Bytes } from '../../support/models/gguf-writer.js';
import { inChunks, readWhole, refused, refuses } from '../../support/streams.js';

describe('errors of a source', () => {
  const open = (path) => () => readWhole(base + path);
  test('a connection that breaks', () =>
    refuses(open('/short.gguf'), 'NET', /short.gguf stopped after 700 bytes/));
  test('a page, by its type', () =>
    refuses(open('/page.gguf'), 'FORMAT', /is a web page \(HTML\), not a model/));
  test('a page, by its beginning', () =>
    refuses(open('/untold-page.gguf'), 'FORMAT', /is a web page \(HTML\)/));
  test('status 404', () => refuses(open('/nothing.gguf'), 'NET', /status 404/));
  test('no server', () =>
    refuses(
      () => readWhole('http://127.0.0.1:1/x.gguf'),
      'NET',
      /could not be opened: .*(ECONNREFUSED|bad port)/,
    ));
  for (const path of [
    'model.gguf',
    './model.gguf',
    '/tmp/model.gguf',
    'model.safetensors',
    'C:\\model.gguf',
  ])
    test(`a path is no address: ${path}`, () =>
      refuses(
        () => readWhole(path),
        'ARG',
        /^source is ".*model\..*"; expected a URL \(a file: pathToFileURL\(path\)/,
      ));
  test('nor is that of a part', () =>
    refuses(
      () => readWhole({ weights: bytes, config: 'config.json' }),
      'ARG',
      /^config is "config.json"; expected a URL/,
    ));
  test('no file', () =>
    refuses(() => readWhole(new URL('none.gguf', file)), 'NET', /none.gguf could not be opened/));
  test('a folder', () =>
    refuses(
      () => readWhole(new URL('.', file)),
      'NET',
      /could not be opened: not a file; of a folder, name the file in it/,
    ));
  test('config.json that is no JSON', () =>
    refuses(open('/broken/model.safetensors'), 'FORMAT', /config.json is not JSON/));
  test('a page behind blank lines', () =>
    refuses(
      () => readWhole(new TextEncoder().encode('\n'.repeat(90) + html)),
      'FORMAT',
      /is a web page \(HTML\)/,
    ));
  test('a count beyond all files, of a file of unknown length', () =>
    refuses(
      () =>
        readWhole(
          inChunks(
            new Bytes()
              .raw(new TextEncoder().encode('GGUF'))
              .u32(3)
              .raw(new Uint8Array(16).fill(255))
              .done(),
            40,
          ),
        ),
      'INTEGRITY',
      /expected no more than the rest of the file; it/,
    ));
  test('a page in the place of weights, whatever their configuration lacks', async () => {
    for (const config of [{ model_type: 'llama' }, { model_type: 'gpt_oss' }])
      await refuses(
        () => readWhole({ weights: new TextEncoder().encode(html), config }),
        'FORMAT',
        /is a web page \(HTML\)/,
      );
  });
  test('an optional file that another origin hides is absent, but a tokenizer is not', async () => {
    const { fetch } = globalThis;
    try {
      for (const [missing, error] of [
        [/jinja|_config/, null],
        [/tokenizer.json/, 'NET'],
      ]) {
        globalThis.fetch = async (url, ...how) =>
          missing.test(url) ? Promise.reject(new TypeError('Failed to fetch')) : fetch(url, ...how);
        if (error)
          await refuses(open('/hf/model.safetensors'), error, /tokenizer.json could not be opened/);
        else assert.ok(await readWhole(`${base}/hf/model.safetensors`));
      }
    } finally {
      globalThis.fetch = fetch;
    }
  });
  test('a tokenizer that the server cannot give now', () =>
    refuses(
      open('/busy/model.safetensors'),
      'NET',
      /tokenizer.json could not be fetched: status 503/,
    ));
  test('a tokenizer that is cut off', () =>
    refuses(open('/cut/model.safetensors'), 'NET', /tokenizer.json stopped after 22 bytes/));
  test('no config.json', () =>
    refuses(
      open('/bare/model.safetensors'),
      'NET',
      /source is safetensors alone \(.*: status 404\); expected config.json .* \{ weights/,
    ));
  test('fewer bytes than announced', () =>
    refuses(
      () =>
        readWhole(
          inChunks(bytes.subarray(0, 900), 100, { 'content-length': String(bytes.length) }),
        ),
      'INTEGRITY',
      /cut off/,
    ));
  test('more bytes than announced', () =>
    refuses(
      () => readWhole(inChunks(bytes, 64, { 'content-length': '900' })),
      'INTEGRITY',
      /cut off|announced/,
    ));
  test('a length of compressed bytes does not count', async () =>
    assert.deepEqual(
      await readWhole(inChunks(bytes, 64, { 'content-length': '900', 'content-encoding': 'gzip' })),
      await readWhole(bytes),
    ));
  test('a Response that was read', async () => {
    const response = new Response(bytes);
    await response.arrayBuffer();
    await refuses(() => readWhole(response), 'ARG', /a Response that has been read/);
  });
  for (const of of ['source', 'weights', 'weights[0]', 'config'])
    test(`detached bytes, of ${of}`, async () => {
      const gone = Uint8Array.from(bytes);
      structuredClone(gone, { transfer: [gone.buffer] });
      for (const one of [gone, gone.buffer])
        await refuses(
          () =>
            readWhole(
              {
                source: one,
                weights: { weights: one },
                'weights[0]': { weights: [one] },
                config: { weights: bytes, config: one },
              }[of],
            ),
          'DETACHED',
          new RegExp(
            `^${of.replace('[0]', '.0.')} is (Uint8Array of 0 bytes|of class ArrayBuffer); `,
          ),
        );
    });

  for (const [name, source] of [
    ['null', null],
    ['a number', 3],
    ['an object', {}],
    ['a misspelt one', { weight: bytes }],
    ['a function', () => {}],
  ])
    test(`${name} is no source`, () => refuses(() => readWhole(source), 'ARG', /source/));

  test('a download that was given is cancelled when another part is no good', async () => {
    const ends = [];
    const slow = (name) =>
      new Response(
        new ReadableStream(
          {
            pull: (controller) => controller.enqueue(bytes.slice(0, 9)),
            cancel: () => void ends.push(name),
          },
          { highWaterMark: 0 },
        ),
      );
    const bad = () => new Response('{');
    for (const source of [
      { weights: slow('beside config'), config: bad() },
      { weights: [bad(), slow('beside a shard')], config: {} },
      { weights: slow('with a misspelt part'), konfig: {} },
    ])
      assert.ok(await refused(() => openModel(source)));
    assert.ok(
      await refused(() =>
        openModel({ weights: bytes, config: bad(), tokenizer: slow('a tokenizer') }),
      ),
    );
    await new Promise((done) => setTimeout(done, 20));
    assert.deepEqual(ends, [
      'beside config',
      'beside a shard',
      'with a misspelt part',
      'a tokenizer',
    ]);
  });

  test('a sink that fails ends the stream, and its error passes through', async () => {
    const model = await openModel(inChunks(bytes, 50));
    const wrong = new Error('full');
    await assert.rejects(
      model.stream({
        write: () => {
          throw wrong;
        },
      }),
      wrong,
    );
    await refuses(() => model.stream({ write() {} }), 'ARG', /called again/);
  });
});
