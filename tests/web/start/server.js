/**
 * The plainest possible static server, with the repository in a sub-path and without special
 * headers unless a test asks for some. `change` serves some files altered, for builds that are
 * wrong on purpose. It also serves files that are not there, as `blank.html` at the root.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { letters, MODEL_FILE } from '../../support/web/letters.js';
import { BUNDLED, bundled, INDEX, only } from './bundle.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const PREFIX = '/some/where/deep';
const TYPES = {
  '.gguf': 'application/octet-stream',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};
/** @type {Uint8Array | undefined} */
let model;
/** A blank page, and a random model in the place of the page's own. */
const OTHERS = {
  'blank.html': () => '<!doctype html><link rel="icon" href="data:,">',
  [`web/${MODEL_FILE}`]: () => (model ??= letters()),
};
/** Headers that a page needs for threads. */
export const ISOLATION = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};
/** A content security policy that allows only the needs of the library. */
export const STRICT = {
  'content-security-policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; " +
    "worker-src 'self'; img-src data:",
};

/**
 * @param {object} [options]
 * @param {string[]} [options.panels] the page has these and no others
 * @param {Record<string, (text: string) => string | Uint8Array>} [options.change] by path from the
 *   root; a new path has no text yet
 * @param {Record<string, string>} [options.types] content types by path or ending, '' for none
 * @param {(path: string) => number} [options.status] to refuse a file; 0: no network reaches it
 * @param {Record<string, string>} [options.headers] with everything
 * @param {boolean} [options.modules] the page has each of its modules and styles in its own file
 */
export async function serve({
  panels,
  change = {},
  types = {},
  status = () => 200,
  headers = {},
  modules = false,
} = {}) {
  const requests = [];
  let changes;
  let altered;
  const alter = (change, panels) => {
    altered = change;
    changes = { ...OTHERS, ...(panels && only(panels)), ...change };
  };
  alter(change, panels);
  /** A file as it is served. */
  async function contents(path) {
    if (BUNDLED.includes(path) && !(modules && path === INDEX)) return bundled(path, altered);
    const found = await readFile(join(root, path)).catch((error) =>
      path in changes ? Buffer.from('') : Promise.reject(error),
    );
    return path in changes ? Buffer.from(changes[path](found.toString())) : found;
  }
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    requests.push(pathname);
    let path = normalize(decodeURIComponent(pathname.slice(PREFIX.length + 1)));
    if (!pathname.startsWith(`${PREFIX}/`) || path.startsWith('..'))
      return response.writeHead(404).end('outside the sub-path');
    if (pathname.endsWith('/')) path += 'index.html';
    const refused = status(path);
    if (!refused) return request.socket.destroy();
    if (refused !== 200) return response.writeHead(refused).end('refused by the test');
    try {
      const type = types[path] ?? types[extname(path)] ?? TYPES[extname(path)];
      const bytes = await contents(path);
      response
        .writeHead(200, {
          ...(type && { 'content-type': type }),
          'content-length': bytes.length,
          ...headers,
        })
        .end(bytes);
    } catch {
      response.writeHead(404).end('no such file');
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    url: `${origin}${PREFIX}/web/`,
    blank: `${origin}${PREFIX}/blank.html`,
    requests,
    /** From now on other files are changed, and the page has other panels. */
    alter,
    close: () => new Promise((done) => server.close(done).closeAllConnections?.()),
  };
}
