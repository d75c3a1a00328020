/** Threads in a browser: with cross-origin isolation they help, bit for bit; without, or where workers are forbidden, one thread says why. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch, missing } from './site.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const ISOLATION = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

/** src/js behind a server that sends these headers with everything. */
async function serve(headers) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    if (pathname === '/') return response.writeHead(200, { 'content-type': 'text/html', ...headers }).end('<!doctype html><link rel="icon" href="data:,">');
    try {
      const bytes = await readFile(join(root, 'src/js', pathname));
      response.writeHead(200, { 'content-type': TYPES[extname(pathname)], ...headers }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close().closeAllConnections() };
}

/** Two threads beside one, in the page: what there is, whether a large prefill, a long decode and a layer have the same bits, and how long init took. */
const compare = async () => {
  const { init } = await import(new URL('/index.js', location.href).href);
  const start = performance.now(), many = await init({ layers: true, threads: 2 }), took = performance.now() - start, one = await init({ layers: true });
  const numbers = (seed, length) => Float32Array.from({ length }, (_, x) => Math.sin(seed + x * x));
  const run = (ch) => {
    const q = numbers(1, 12 * 300 * 64), cache = ch.kvCache({ kvHeads: 3, headDim: 64, capacity: 4000 });
    cache.append(numbers(2, 3 * 4000 * 64), numbers(3, 3 * 4000 * 64));
    const prefill = ch.attention(q, q, q, { heads: 12, headDim: 64, causal: true, want: { stats: true } });
    const decode = ch.attend(q.subarray(0, 9 * 10 * 64), cache, { heads: 9, want: { lse: true } });
    const w = numbers(4, 256 * 256).map((x) => x / 16), layer = ch.multiHead({ q: w, k: w, v: w, o: w }, { modelDim: 256, heads: 8 });
    const { output } = layer.forward(numbers(5, 150 * 256), { causal: true });
    return [prefill.output, prefill.stats.kl, decode.output, decode.lse, output].map((x) => new Uint8Array(x.slice().buffer));
  };
  const [a, b] = [run(many), run(one)];
  const same = a.every((bytes, x) => bytes.length === b[x].length && bytes.every((byte, y) => byte === b[x][y]));
  return { ...many.info, same, took };
};

describe('threads in Chromium', { skip: missing }, () => {
  let browser;
  before(async () => (browser = await launch()));
  after(() => browser?.close());

  for (const [name, headers, threads, words] of [
    ['with isolation there are two, from the page’s own thread', ISOLATION, 2, /^$/],
    ['without isolation there is one', {}, 1, /isolated/],
    ['where the policy forbids workers there is one', { ...ISOLATION, 'content-security-policy': "worker-src 'none'" }, 1, /worker/],
    ['a strict policy that allows workers of the same origin is enough', { ...ISOLATION, 'content-security-policy': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; img-src data:" }, 2, /^$/],
  ])
    test(name, async () => {
      const site = await serve(headers), page = await browser.newPage();
      try {
        await page.goto(site.url);
        const found = await page.evaluate(compare);
        assert.equal(found.threads, threads, found.why);
        assert.match(found.why, words);
        assert.ok(found.same, 'the bits of one thread');
        assert.ok(found.took < 2500, `${found.took} ms`);
      } finally {
        await page.close();
        site.close();
      }
    });
});
