/** Sources of wasm files for init: a server, damaged bytes, and rules for refusals. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { ClearheadError, init } from '../../../src/js/index.js';
import { sameBits } from '../bits.js';
import { engines, wasmBytes } from '../engines.js';
import { good, shape } from '../faults.js';

export const bytes = wasmBytes('simd');
export const copy = (from = 0, to = bytes.length) => Uint8Array.from(bytes.subarray(from, to));
export const run = (ch) =>
  ch.attention(good.q, good.k, good.v, {
    ...shape,
    causal: true,
    want: { weights: true, lse: true, stats: true },
  });
export const expected = run(engines[0].ch);
export const wasmResponse = (body, more) =>
  new Response(body, { headers: { 'content-type': 'application/wasm' }, ...more });

/**
 * init throws a ClearheadError of one of these codes that speaks of `word`; the engine in use is
 * not touched.
 */
export async function refuses(what, codes, options, word = 'wasm') {
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
export const slow = [];
export const server = createServer((request, response) => {
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
export const at = (path) => `http://127.0.0.1:${server.address().port}${path}`;
// several files share it where an engine runs them in one process, so none of them closes it
server.unref();
server.on('connection', (socket) => socket.unref());
