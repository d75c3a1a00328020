/**
 * The built page behind a plain host that sends the brotli files, in a sub-path. Files may be kept
 * for ten minutes, as on GitHub Pages.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const SITE = fileURLToPath(new URL('../../../build/site/', import.meta.url));
const PATH = '/some/where/';
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** Bytes of bodies that were sent since `url` was asked for. */
export const sent = { page: 0, model: 0, files: 0 };

/** Starts it. Resolves to its address and a function that ends it. */
export async function host() {
  if (!existsSync(join(SITE, 'index.html')))
    throw new Error('there is no build/site yet: npm run site');
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname === PATH ? 'index.html' : normalize(pathname.slice(PATH.length));
    const file = join(SITE, path);
    if (!file.startsWith(SITE) || !existsSync(file) || !statSync(file).isFile())
      return void response.writeHead(404).end();
    const packed = existsSync(`${file}.br`);
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'cache-control': 'max-age=600',
      ...(packed && { 'content-encoding': 'br' }),
    });
    const body = readFileSync(packed ? `${file}.br` : file);
    sent[file.endsWith('.gguf') ? 'model' : 'page'] += body.length;
    sent.files++;
    response.end(body);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}${PATH}`, close: () => server.close() };
}
