/** Every source of a model gives the same bytes, and errors on the way are told apart. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openModel } from '../../../src/js/model/files/open.js';
import { Bytes, writeGguf, writeSafetensors } from '../../support/models/gguf-writer.js';
import { inChunks, readWhole, refused, refuses } from '../../support/streams.js';
import { tinyConfig, tinyGguf, tinyJson, tinyTensors } from '../../support/models/tiny-models.js';
import { ticksAfterAbort } from '../../support/clock.js';

const bytes = tinyGguf('qwen3');
const html = '<!doctype html><title>Not found</title>';
const folder = mkdtempSync(join(tmpdir(), 'clearhead source % # é-'));
const file = pathToFileURL(join(folder, 'tiny model #1 %20.gguf'));
writeFileSync(file, bytes);
after(() => rmSync(folder, { recursive: true }));

/** The answers of the server, by path. */
const answers = {
  '/whole.gguf': (response) => response.setHeader('content-length', bytes.length).end(bytes),
  '/unsized.gguf': (response) => response.end(bytes),
  '/short.gguf': (response) => {
    response.setHeader('content-length', bytes.length);
    response.write(bytes.subarray(0, 700), () => response.destroy());
  },
  '/stalled.gguf': (response) =>
    void response
      .setHeader('content-length', bytes.length)
      .write(bytes.subarray(0, bytes.length - 9)),
  '/page.gguf': (response) =>
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html),
  '/untold-page.gguf': (response) =>
    response.setHeader('content-type', 'application/octet-stream').end(html),
  '/absent.gguf': (response) => response.writeHead(404).end('no'),
  '/hf/model.safetensors': (response) => response.end(tinyJson('llama').weights),
  '/hf/config.json': (response) => response.end(JSON.stringify(tinyConfig('llama'))),
  '/hf/chat_template.jinja': (response) => response.end('{{ messages }}'),
  // as a server of single-page applications answers everything
  '/hf/tokenizer.json': (response) => response.setHeader('content-type', 'text/html').end(html),
  '/hf/generation_config.json': (response) => response.writeHead(404).end('{}'),
  '/broken/model.safetensors': (response) => response.end(tinyJson('llama').weights),
  '/broken/config.json': (response) => response.end('{"hidden_size": '),
  '/busy/model.safetensors': (response) => response.end(tinyJson('llama').weights),
  '/busy/config.json': (response) => response.end(JSON.stringify(tinyConfig('llama'))),
  '/busy/tokenizer.json': (response) => response.writeHead(503).end('later'),
  '/cut/model.safetensors': (response) => response.end(tinyJson('llama').weights),
  '/cut/config.json': (response) => response.end(JSON.stringify(tinyConfig('llama'))),
  '/cut/tokenizer.json': (response) => {
    response.setHeader('content-length', 5000);
    response.write('{"model":{"type":"BPE"', () => response.destroy());
  },
  '/bare/model.safetensors': (response) => response.end(tinyJson('llama').weights),
};
const server = createServer((request, response) =>
  (answers[request.url.replace(/\?.*/, '')] ?? answers['/absent.gguf'])(response),
);
let base;
before(
  () =>
    new Promise((done) =>
      server.listen(0, '127.0.0.1', () => {
        base = `http://127.0.0.1:${server.address().port}`;
        done();
      }),
    ),
);
after(() => {
  server.closeAllConnections();
  server.close();
});

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

describe('a model in several files', () => {
  const tensors = tinyTensors('llama', 'json');
  const count = 9;
  const whole = tinyJson('llama').weights;
  const shards = Array.from({ length: count }, (_, at) =>
    writeSafetensors({ tensors: tensors.filter((_, x) => x % count === at) }),
  );
  const place = (at) => `part-${at}.safetensors`;
  const index = {
    weight_map: Object.fromEntries(tensors.map(({ name }, x) => [name, place(x % count)])),
  };
  const contents = (parts) =>
    new Map([
      ['/m/model.safetensors.index.json', JSON.stringify(index)],
      ['/m/config.json', JSON.stringify(tinyConfig('llama'))],
      ...parts.map((part, at) => [`/m/${place(at)}`, part]),
    ]);

  /**
   * As a browser fetches: six connections to a server, and further requests wait. A connection is
   * free when a body has ended or is left.
   */
  async function within(six, files, load) {
    const { fetch } = globalThis;
    const waiting = [];
    let free = six;
    const release = () => (free++, waiting.shift()?.());
    globalThis.fetch = async (url) => {
      if (!free) await new Promise((go) => waiting.push(go));
      free--;
      const found = files(new URL(url).pathname);
      const content = typeof found === 'string' ? new TextEncoder().encode(found) : found;
      let at = 0;
      const pull = (controller) =>
        at < (content?.length ?? 0)
          ? controller.enqueue(content.slice(at, (at += 400)))
          : (controller.close(), release());
      return new Response(new ReadableStream({ pull, cancel: release }, { highWaterMark: 0 }), {
        status: content ? 200 : 404,
      });
    };
    try {
      return await load('http://models.test/m/model.safetensors.index.json');
    } finally {
      globalThis.fetch = fetch;
    }
  }

  test(
    'is read over the six connections of a browser, and its progress counts each byte once',
    { timeout: 20000 },
    async () => {
      const seen = [];
      const files = contents(shards);
      const { data } = await within(
        6,
        (path) => files.get(path),
        (url) => readWhole(url, { onProgress: (x) => seen.push(x.loaded) }),
      );
      const { data: wanted } = await readWhole({ weights: whole, config: tinyConfig('llama') });
      assert.deepEqual(new Map([...data].sort()), new Map([...wanted].sort()));
      assert.equal(
        seen.at(-1),
        shards.reduce((sum, { length }) => sum + length, 0),
      );
      assert.ok(seen.every((loaded, at) => !at || loaded > seen[at - 1]));
    },
  );

  test('is not one of its files', async () => {
    for (const file of [
      'model-00001-of-00002.safetensors',
      'model-00010-of-00012.safetensors?download=true',
    ])
      await refuses(
        () => readWhole(`http://models.test/${file}`),
        'ARG',
        /^source is .*-of-\d+\.safetensors, one file of several; .* model.safetensors.index.json/,
      );
    const files = contents(shards);
    const whole = new Map([
      ['/m/model-00001-of-00001.safetensors', tinyJson('llama').weights],
      ['/m/config.json', files.get('/m/config.json')],
    ]);
    assert.ok(
      await within(
        6,
        (path) => whole.get(path),
        () => readWhole('http://models.test/m/model-00001-of-00001.safetensors'),
      ),
    );
  });

  test('that changes while it is read is told so', async () => {
    const files = contents(shards);
    const other = writeSafetensors({
      tensors: [
        ...tensors.filter((_, x) => x % count === 5),
        { name: 'more', shape: [2], data: new Float32Array(2) },
      ],
    });
    let asked = 0;
    const get = (path) => (path.endsWith(place(5)) && asked++ ? other : files.get(path));
    await refuses(() => within(6, get, readWhole), 'INTEGRITY', /part-5.safetensors has changed/);
  });
});

/**
 * A stream of bytes that writes into its reader's memory, `size` at most.
 * @param {(view: Uint8Array) => void} [look] at that memory
 */
function filling(content, size, look) {
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

describe('progress', () => {
  for (const [name, source, total] of [
    ['with a known length', () => new Blob([bytes]), bytes.length],
    ['without', () => inChunks(bytes, 100), undefined],
  ])
    test(name, async () => {
      const seen = [];
      await readWhole(source(), { onProgress: (progress) => seen.push(progress) });
      assert.ok(
        seen.every(
          (progress, at) =>
            progress.total === total && (!at || progress.loaded >= seen[at - 1].loaded),
        ),
      );
      assert.equal(seen.at(-1).loaded, bytes.length);
      assert.equal(
        new Set(seen.map((progress) => JSON.stringify(progress))).size,
        seen.length,
        'nothing is told twice',
      );
    });
});

describe('memory', () => {
  test('a model in many files takes no more than one in few', async () => {
    const open = new URL('../../../src/js/model/files/open.js', import.meta.url).href;
    const program = `import { openModel } from ${JSON.stringify(open)};
      import { pathToFileURL } from 'node:url';
      const held = () => (gc(), process.memoryUsage().arrayBuffers);
      const files = process.argv.slice(1).map((path) => pathToFileURL(path));
      const before = held();
      const model = await openModel({ weights: files, config: {} });
      // the median: a piece that is just being read, or a file that is being closed, is held for a
      // moment
      const all = [];
      await model.stream({ write: () => void all.push(held() - before) });
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
    const [few, many] = [paths.slice(0, 4), paths].map((some) =>
      Number(
        execFileSync(
          process.execPath,
          ['--expose-gc', '--input-type=module', '-e', program, ...some],
          { encoding: 'utf8', env: { ...process.env, FORCE_COLOR: '0' } },
        ),
      ),
    );
    assert.ok(many - few < 2 ** 22, `${few} bytes with 4 files, ${many} with 40`);
  });

  test('256 MB pass through without being held', async () => {
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
    const held = () => process.memoryUsage().arrayBuffers;
    const before = held();
    const model = await openModel(new Response(body));
    await model.stream({
      write(tensor, offset, piece) {
        assert.equal(offset, received);
        assert.equal(piece[0], 7);
        received += piece.length;
        peak = Math.max(peak, held() - before);
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

  test('what arrives in small pieces and is kept takes no more memory than it has', async () => {
    const long = writeGguf({ metadata: { text: 'x'.repeat(2 ** 20) } });
    let most = 0;
    const held = () => process.memoryUsage().arrayBuffers;
    const before = held();
    await readWhole(
      new Response(filling(long, 512, () => (most = Math.max(most, held() - before)))),
    );
    assert.ok(most < 2 ** 24, `${most} bytes for ${long.length}`);
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

describe('what goes wrong', () => {
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
  for (const [name, source] of [
    ['null', null],
    ['a number', 3],
    ['an object', {}],
    ['a misspelt one', { weight: bytes }],
    ['a function', () => {}],
  ])
    test(`${name} is no source`, () => refuses(() => readWhole(source), 'ARG', /source/));

  test('a download that was given is left when another part is no good', async () => {
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
