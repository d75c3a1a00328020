/** Loading: every source the API takes, and everything that can be wrong with one. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { ClearheadError, init } from '../../src/js/index.js';
import { sameBits } from '../support/bits.js';
import { engines, wasmBytes } from '../support/engines.js';
import { good, shape } from '../support/faults.js';

const bytes = wasmBytes('simd');
const copy = (from = 0, to = bytes.length) => Uint8Array.from(bytes.subarray(from, to));
const run = (ch) =>
  ch.attention(good.q, good.k, good.v, {
    ...shape,
    causal: true,
    want: { weights: true, lse: true, stats: true },
  });
const expected = run(engines[0].ch);
const wasmResponse = (body, more) =>
  new Response(body, { headers: { 'content-type': 'application/wasm' }, ...more });

/**
 * init throws a ClearheadError of one of these codes that speaks of `word`; the engine in use is
 * not touched.
 */
async function refuses(what, codes, options, word = 'wasm') {
  const error = await init(options).then(
    () => assert.fail(`${what}: accepted`),
    (e) => e,
  );
  assert.ok(error instanceof ClearheadError, `${what}: ${error?.stack}`);
  assert.ok(
    codes.split(' ').includes(error.code),
    `${what}: ${error.code}, not ${codes}: ${error.message}`,
  );
  assert.ok(
    error.message.includes(word) && error.message.length < 400,
    `${what}: ${error.message}`,
  );
  sameBits(run(engines[0].ch), expected, what);
}

/** The rest of /slow, which still has to come. @type {(() => void)[]} */
const slow = [];
const server = createServer((request, response) => {
  if (request.url === '/good.wasm')
    response.setHeader('content-type', 'application/wasm').end(bytes);
  else if (request.url === '/plain') response.setHeader('content-type', 'text/plain').end(bytes);
  else if (request.url === '/page')
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Not here</title>');
  else if (request.url === '/flipped.wasm')
    response.setHeader('content-type', 'application/wasm').end(copy().fill(~bytes.at(-1), -1));
  else if (request.url === '/slow') {
    response.setHeader('content-type', 'application/wasm').write(bytes.subarray(0, 5000));
    slow.push(() => response.end(bytes.subarray(5000)));
  } else if (request.url === '/cut') {
    response
      .setHeader('content-type', 'application/wasm')
      .setHeader('content-length', bytes.length);
    response.write(bytes.subarray(0, 1000));
    setTimeout(() => response.destroy(), 20);
  } else response.writeHead(request.url === '/500' ? 500 : 404).end('nothing');
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const at = (path) => `http://127.0.0.1:${server.address().port}${path}`;
after(() => server.close());

test('kernels without relaxed SIMD say that the JavaScript engine lacks it', async () => {
  const { variant, why } = (await init()).info;
  assert.equal(why, variant === 'simd' ? 'the JS engine has no relaxed SIMD' : '');
});

/**
 * Node 21 and 22.0 to 22.2 lack it, and so does what bundlers and test runners put in the place of
 * Node's process.
 */
test("kernels are read from files without Node's getBuiltinModule too", async () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'process');
  const stand = [{ env: {}, browser: true }, undefined];
  try {
    for (const process of stand) {
      Object.defineProperty(globalThis, 'process', { value: process, configurable: true });
      sameBits(run(await init({ variant: 'simd' })), expected, JSON.stringify(process));
      await assert.rejects(init({ wasm: new URL('./no.wasm', import.meta.url) }), {
        code: 'NET',
        message: /no\.wasm: ENOENT/,
      });
    }
  } finally {
    Object.defineProperty(globalThis, 'process', own);
  }
});

test('every kind of source gives the same engine', async () => {
  const padded = new Uint8Array(bytes.length + 6);
  padded.set(bytes, 3);
  const sources = {
    nothing: undefined,
    'a URL object': new URL('../../src/js/engine/attn.simd.wasm', import.meta.url),
    'a file address': new URL('../../src/js/engine/attn.simd.wasm', import.meta.url).href,
    'an http address': at('/good.wasm'),
    'an http URL': new URL(at('/good.wasm')),
    'a wrong media type': at('/plain'),
    'a response': await fetch(at('/good.wasm')),
    'a response that is still coming': fetch(at('/good.wasm')),
    'an ArrayBuffer': copy().buffer,
    'a Uint8Array': copy(),
    'a view inside a buffer': padded.subarray(3, 3 + bytes.length),
    'a Buffer': Buffer.from(bytes),
    'a DataView': new DataView(copy().buffer),
    'a module': await WebAssembly.compile(bytes),
    'a promise of bytes': Promise.resolve(copy()),
    'a made response': wasmResponse(bytes),
  };
  for (const [what, wasm] of Object.entries(sources)) {
    const ch = await init({ wasm, variant: 'simd' });
    sameBits(run(ch), expected, what);
    assert.deepEqual(
      { ...ch.info },
      { variant: 'simd', threads: 1, simd: true, why: ch.info.why },
      what,
    );
  }
});

test('kernels are compiled once, while they arrive if the server names their type', async (t) => {
  const streaming = t.mock.method(WebAssembly, 'compileStreaming');
  const compile = t.mock.method(WebAssembly, 'compile');
  const coming = init({ wasm: at('/slow'), variant: 'simd' });
  for (
    const late = performance.now() + 10000;
    !streaming.mock.callCount() && performance.now() < late;
  )
    await new Promise((done) => setTimeout(done, 5));
  assert.equal(streaming.mock.callCount(), 1, 'before the rest was sent');
  slow.shift()?.();
  sameBits(run(await coming), expected, 'in two parts');
  assert.equal(compile.mock.callCount(), 0);
  sameBits(run(await init({ wasm: at('/plain'), variant: 'simd' })), expected, 'as text');
  assert.equal(compile.mock.callCount(), 1);
});

test('a module compiled on arrival is not used if the checksum is wrong', async (t) => {
  const streaming = t.mock.method(WebAssembly, 'compileStreaming');
  await refuses('a flipped byte', 'INTEGRITY', { wasm: at('/flipped.wasm') });
  assert.ok((await streaming.mock.calls[0].result) instanceof WebAssembly.Module, 'it did compile');
  await refuses('a connection that breaks', 'NET', { wasm: at('/cut') });
  assert.equal(streaming.mock.callCount(), 2);
});

test('the variant says what runs, and auto says why it is not the faster one', async () => {
  const auto = await init();
  const simd = await init({ variant: 'simd' });
  assert.equal(simd.info.variant, 'simd');
  assert.equal(auto.info.variant, engines.at(-1).variant);
  assert.equal(
    auto.info.variant === 'relaxed' ? auto.info.why === '' : auto.info.why.length > 0,
    true,
    auto.info.why,
  );
  for (const info of [auto.info, simd.info])
    assert.throws(() => {
      info.variant = 'mine';
    }, TypeError);
  if (engines.length > 1)
    assert.equal((await init({ variant: 'relaxed' })).info.variant, 'relaxed');
  const bytesOfRelaxed = engines.length > 1 ? await init({ wasm: wasmBytes('relaxed') }) : auto;
  assert.equal(bytesOfRelaxed.info.variant, engines.at(-1).variant, 'the bytes decide');
});

test('A25: calls before init has resolved, several at once, and after a failed one', async () => {
  const pending = init({ variant: 'simd' });
  assert.equal(pending.attention, undefined);
  const [a, b] = await Promise.all([pending, init({ variant: 'simd' })]);
  const t = a.tensor([9]);
  t.data.fill(7);
  b.tensor([9]).data.fill(1);
  assert.ok(
    t.data.every((x) => x === 7),
    'nothing is shared',
  );
  await assert.rejects(init({ wasm: new Uint8Array(0) }), ClearheadError);
  sameBits(run(await init({ variant: 'simd' })), expected, 'after a failure');
});

test('options of init that are none', async () => {
  for (const variant of ['SIMD', '', 1, null, {}])
    await refuses(`variant ${variant}`, 'ARG', { variant }, 'variant');
  await refuses('an unknown option', 'ARG', { thread: 4 }, 'thread');
  for (const options of [null, 'simd', 5])
    await refuses(`options ${options}`, 'ARG', options, 'options');
  for (const wasm of [null, 5, true, {}, [0, 97, 115, 109], Symbol('wasm'), () => bytes])
    await refuses(`wasm ${String(wasm)}`, 'ARG', { wasm });
  const mine = new Error('mine');
  await assert.rejects(init({ wasm: Promise.reject(mine) }), mine);
});

test('C15: empty, foreign, damaged and unreachable files', async () => {
  const text = (s) => new TextEncoder().encode(s);
  for (const [what, wasm] of Object.entries({
    'no bytes': new Uint8Array(0),
    'no buffer': new ArrayBuffer(0),
    'four bytes': copy(0, 4),
    'a web page': text('<!doctype html><html>Not found</html>'),
    'a pointer file': text('version https://git-lfs.github.com/spec/v1'),
    'a zip': text('PK\x03\x04'),
    zeros: new Uint8Array(1000),
    'the magic alone': copy(0, 8),
    'another version': Uint8Array.from(copy(), (x, i) => (i === 4 ? 2 : x)),
  }))
    await refuses(what, 'FORMAT INTEGRITY', { wasm });
  // a valid module that is not ours
  await refuses('an empty module', 'FORMAT INTEGRITY', { wasm: copy(0, 8) });
  await refuses('a foreign module', 'FORMAT INTEGRITY', {
    wasm: new WebAssembly.Module(copy(0, 8)),
  });
  for (let length = 1; length < bytes.length; length += 997)
    await refuses(`cut to ${length}`, 'FORMAT INTEGRITY', { wasm: copy(0, length) });
  await assert.rejects(
    init({ wasm: new URL('../../src/js/engine/attn.simd.shared.wasm', import.meta.url) }),
    { code: 'FORMAT', message: /needs threads$/ },
  );
  for (const path of ['/404', '/500']) {
    await refuses(path, 'NET', { wasm: at(path) });
    await refuses(`a response of ${path}`, 'NET', { wasm: fetch(at(path)) });
  }
  await refuses('a page at the address', 'FORMAT INTEGRITY', { wasm: at('/page') });
  await refuses('a connection that breaks', 'NET', { wasm: at('/cut') });
  await refuses('a port where nobody listens', 'NET', { wasm: 'http://127.0.0.1:9/x.wasm' });
  for (const wasm of [
    '',
    'not an address',
    'file:///nowhere/attn.wasm',
    new URL('file:///nowhere'),
  ])
    await refuses(`address ${wasm}`, 'NET ARG', { wasm });
  await assert.rejects(init({ wasm: 'attn.simd.wasm' }), {
    code: 'ARG',
    message: /^wasm is "attn.simd.wasm"; expected a URL \(a file: pathToFileURL/,
  });
  await refuses('a read response', 'NET', {
    wasm: fetch(at('/good.wasm')).then(async (r) => {
      await r.arrayBuffer();
      return r;
    }),
  });
});

/**
 * Loads the kernels with one bit flipped at each place and tells what happened; in a thread,
 * because a flipped branch may never end.
 */
const judge = `
  const { parentPort, workerData: { places, start } } = require('worker_threads');
  (async () => {
    const { init, ClearheadError } = await import(workerData.index);
    const { sameBits } = await import(workerData.bits);
    for (let x = start; x < places.length; x++) {
      parentPort.postMessage({ x });
      const wasm = workerData.bytes.slice();
      wasm[places[x] >> 3] ^= 1 << (places[x] & 7);
      let verdict = 'harmless';
      try {
        const ch = await init({ wasm });
        for (const [call, expected] of workerData.calls) sameBits(ch.attention(...call), expected);
      } catch (error) { verdict = error instanceof ClearheadError ? 'caught' : 'wrong'; }
      parentPort.postMessage({ x, verdict });
    }
  })();`
  .replace('workerData: { places, start }', 'workerData')
  .replace('(async () =>', 'const { places, start } = workerData;\n  (async () =>');

test(
  'C15: one bit flipped anywhere is caught at load or harmless',
  { timeout: 120000 },
  async (t) => {
    const count = 400;
    const places = Array.from(
      { length: count },
      (_, x) => Math.floor(((x + 0.37) * bytes.length * 8) / count) + (x % 8),
    );
    const tally = { caught: 0, harmless: 0, wrong: 0, endless: 0 };
    const wrong = [];
    const one = [
      good.q,
      good.k,
      good.v,
      { ...shape, causal: true, softcap: 3, want: { weights: true, lse: true, stats: true } },
    ];
    const float64 = one.map((a) => (a instanceof Float32Array ? Float64Array.from(a) : a));
    const calls = [one, float64].map((call) => [call, engines[0].ch.attention(...call)]);
    for (let start = 0; start < count;) {
      const worker = new Worker(judge, {
        eval: true,
        workerData: {
          places,
          start,
          bytes: copy(),
          calls,
          index: new URL('../../src/js/index.js', import.meta.url).href,
          bits: new URL('../support/bits.js', import.meta.url).href,
        },
      });
      start = await new Promise((done, fail) => {
        let at = start;
        let clock;
        const watch = () => {
          clearTimeout(clock);
          clock = setTimeout(() => {
            tally.endless++;
            wrong.push(places[at]);
            done(at + 1);
          }, 5000);
        };
        worker.on('message', ({ x, verdict }) => {
          watch();
          at = x;
          if (!verdict) return;
          tally[verdict]++;
          if (verdict === 'wrong') wrong.push(places[x]);
          if (x === count - 1) done(count);
        });
        worker.on('error', fail);
        worker.on('exit', () => clearTimeout(clock));
      });
      await worker.terminate();
    }
    t.diagnostic(`${count} flips: ${JSON.stringify(tally)}`);
    assert.deepEqual(
      [tally.wrong, tally.endless],
      [0, 0],
      `flipping bit ${wrong.slice(0, 10)} is neither caught nor harmless`,
    );
  },
);

test('bytes may be of another realm, or shared', async () => {
  const bytes = wasmBytes('simd');
  const there = runInNewContext('(length) => new Uint8Array(length)')(bytes.length);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 8), 8);
  for (const view of [there, shared]) {
    view.set(bytes);
    const ch = await init({ wasm: view, variant: 'simd' });
    assert.equal(
      ch.attention(Float32Array.of(1), Float32Array.of(0, 1), Float32Array.of(0, 3), { headDim: 1 })
        .output.length,
      1,
    );
  }
});

test('an engine without layers says how to get them', async () => {
  const ch = await init();
  const deep = await init({ layers: true });
  const names = Object.keys(deep).filter(
    (name) =>
      typeof deep[name] === 'function' &&
      !(name in { attention: 1, attend: 1, tensor: 1, kvCache: 1, dispose: 1 }),
  );
  assert.ok(names.includes('multiHead') && names.length === 12, `${names}`);
  for (const name of names)
    assert.throws(() => ch[name](), { code: 'ENV', message: /init\(\{ layers: true \}\)/ }, name);
  await assert.rejects(init({ layers: true, wasm: wasmBytes('simd') }), {
    code: 'ARG',
    message: /model\.\*\.wasm/,
  });
});
