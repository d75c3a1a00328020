/**
 * The side in a browser: headless Chromium, driven one sample at a time, so that it takes turns
 * with the side in Node.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = [
  'headless',
  'no-sandbox',
  'disable-gpu',
  'disable-quic',
  'no-first-run',
  'disable-sync',
];
FLAGS.push('disable-background-networking', 'disable-component-update');

/**
 * The repository, isolated from other origins: only then is a page's clock finer than 0.1 ms, and
 * has it shared memory.
 */
async function serve() {
  const server = createServer(async (request, response) => {
    const path = normalize(
      decodeURIComponent(new URL(request.url ?? '', 'http://localhost').pathname),
    );
    const headers = {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'content-type': TYPES[extname(path)] ?? 'text/plain',
    };
    const bytes = await readFile(join(root, path)).catch(() => null);
    response.writeHead(bytes ? 200 : 404, headers).end(bytes ?? '');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/bench/page.html`,
    close: () => server.close().closeAllConnections(),
  };
}

/**
 * Chromium and the repository behind it. `page()` opens a fresh page: nothing cached, nothing
 * compiled.
 */
export async function openBrowser() {
  if (!existsSync(CHROMIUM)) throw new Error(`there is no Chromium at ${CHROMIUM}`);
  const { chromium } = await import('playwright-core');
  const server = await serve();
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: FLAGS.map((flag) => `--${flag}`),
  });
  const page = async () => {
    const context = await browser.newContext();
    const opened = await context.newPage();
    opened.on('pageerror', (error) => console.error(`page: ${error.message}`));
    await opened.goto(server.url);
    await opened.waitForFunction('globalThis.bench');
    const call = (name, ...args) =>
      opened.evaluate(
        ([f, all]) => globalThis.bench[f](...all),
        /** @type {[string, any[]]} */ ([name, args]),
      );
    return { call, close: () => context.close() };
  };
  const close = async () => {
    await browser.close();
    server.close();
  };
  return { name: `Chromium ${browser.version().split('.')[0]}`, page, close };
}

/**
 * A side with the methods of Side, in a page of its own.
 * @param {any} browser
 * @param {string[]} names
 * @param {any} options
 */
export async function openBrowserSide(browser, names, options) {
  const { call, close } = await browser.page();
  const engine = options.threads > 1 ? `${browser.name}, ${options.threads} threads` : browser.name;
  const { present, absent } = await call('open', names, options, engine);
  const side = {
    prepare: (id, warm) => call('prepare', id, warm),
    sample: (...turn) => call('sample', ...turn),
    release: () => call('release').catch(() => {}), // a page that died has nothing left
    engine,
    close,
  };
  return { side, present, absent };
}
