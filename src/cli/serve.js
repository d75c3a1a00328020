import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';

export const usage = `  clearhead serve [--port N]
      Serves the page of a clone on this machine, at port 8080 or the next that
      is free. Any other static server does as well. --port 0: any port. The
      installed package is without the page.`;

export const options = { port: { type: 'string' } };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The folders of the page; nothing else is served. */
const SERVED = ['web', 'src', 'training'];
/** @type {Record<string, string>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};
/** Compressed already, or not worth it. */
const PLAIN = new Set(['.png', '.woff2', '.gguf', '.safetensors']);

/**
 * A stream that compresses in a way that the reader accepts. Brotli at level 5 takes a few
 * milliseconds a file.
 * @param {string | undefined} accepted the header accept-encoding
 * @param {string} ending
 */
function compression(accepted, ending) {
  if (PLAIN.has(ending)) return undefined;
  const names = (accepted ?? '').split(',').map((name) => name.trim().toLowerCase());
  if (names.includes('br')) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
    return { encoding: 'br', stream: createBrotliCompress({ params }) };
  }
  return names.includes('gzip') ? { encoding: 'gzip', stream: createGzip() } : undefined;
}

/** @param {{ port?: string }} given @returns {Promise<number>} */
export async function run({ port }) {
  if (!existsSync(join(ROOT, 'web')))
    throw Object.assign(
      new Error(
        'serve needs the page, which is in a clone of the repository and not in the package',
      ),
      { code: 'EARG' },
    );
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const at = await listen(server, port);
  console.log(`The page is at http://localhost:${at}/web/   (Ctrl-C ends it)`);
  await new Promise((resolve) => server.on('close', resolve));
  return 0;
}

/**
 * At the port asked for, or else the first free one from 8080 on.
 * @param {import('node:http').Server} server
 * @param {string} [given]
 */
async function listen(server, given) {
  const refuse = (/** @type {string} */ what) =>
    Object.assign(new Error(`--port is ${what}`), { code: 'EARG' });
  const port = given === undefined ? 8080 : /^\d{1,5}$/.test(given) ? Number(given) : NaN;
  if (!(port <= 65535)) throw refuse(`"${given}"; expected a whole number up to 65535`);
  for (let tries = 0; ; tries++) {
    try {
      await new Promise((resolve, reject) => {
        server
          .once('error', reject)
          .listen(port && port + tries, 'localhost', () => resolve(server.off('error', reject)));
      });
      return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
    } catch (/** @type {any} */ error) {
      if (error.code !== 'EADDRINUSE' || tries === 20) throw error;
      if (given !== undefined)
        throw refuse(`${given}, which is taken; expected a free one, or 0 for any`);
    }
  }
}

/** @param {string} address @returns {string | undefined} undefined where it is none */
function pathOf(address) {
  try {
    return decodeURIComponent(new URL(address, 'http://localhost').pathname);
  } catch {
    return undefined;
  }
}

/**
 * Names of this machine. A page elsewhere can give its own name this machine's number, and would
 * then read everything here (DNS rebinding).
 */
const OWN = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function answer(request, response) {
  const refuse = (/** @type {number} */ status, /** @type {string} */ why, headers = {}) =>
    void response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(`${why}\n`);
  if (!OWN.test(request.headers.host ?? ''))
    return refuse(403, 'only localhost, 127.0.0.1 and [::1] are served');
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return refuse(405, 'only GET and HEAD are served', { allow: 'GET, HEAD' });
  const path = pathOf(request.url ?? '/');
  if (path === undefined) return refuse(400, 'not an address');
  if (path === '/' || path === '/web')
    return void response.writeHead(302, { location: '/web/' }).end();
  const file = normalize(join(ROOT, path.endsWith('/') ? `${path}index.html` : path));
  const inside = SERVED.some((folder) => file.startsWith(join(ROOT, folder) + sep));
  const found = inside && !file.includes('\0') && (await stat(file).catch(() => undefined));
  if (!found || !found.isFile()) return refuse(404, 'not found');
  const packed = compression(request.headers['accept-encoding'], extname(file));
  response.writeHead(200, {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    ...(packed ? { 'content-encoding': packed.encoding } : { 'content-length': found.size }),
    vary: 'accept-encoding',
    'cache-control': 'no-cache',
    // so that a page of this server could use threads
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  });
  if (request.method === 'HEAD') return void response.end();
  // a reader that leaves early, or a file that cannot be read after all, ends this answer alone
  const done = () => {};
  if (packed) pipeline(createReadStream(file), packed.stream, response, done);
  else pipeline(createReadStream(file), response, done);
}
