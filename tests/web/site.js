/**
 * The page as a reader meets it, and the browsers to look at it. The repository lies behind the
 * plainest possible static server, in a sub-path, without special headers unless a test asks for
 * some. `change` serves some files altered, for builds that are wrong on purpose. It also serves
 * files that are not there, as `blank.html` at the root.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import process from 'node:process';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch } from './browsers.js';
import { letters, MODEL_FILE } from './look/model.js';

export { browsers, launch, missing } from './browsers.js';
export { statements, verdicts } from './statuses.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
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
/** The least that a content security policy must allow. */
export const STRICT = {
  'content-security-policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; " +
    "worker-src 'self'; img-src data:",
};

/**
 * @param {object} [options]
 * @param {Record<string, (text: string) => string | Uint8Array>} [options.change] by path from the
 *   root; a new path has no text yet
 * @param {Record<string, string>} [options.types] content types by path or ending, '' for none
 * @param {(path: string) => number} [options.status] to refuse a file
 * @param {Record<string, string>} [options.headers] with everything
 */
export async function serve({ change = {}, types = {}, status = () => 200, headers = {} } = {}) {
  const requests = [];
  const changes = { ...OTHERS, ...change };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    requests.push(pathname);
    let path = normalize(decodeURIComponent(pathname.slice(PREFIX.length + 1)));
    if (!pathname.startsWith(`${PREFIX}/`) || path.startsWith('..'))
      return response.writeHead(404).end('outside the sub-path');
    if (pathname.endsWith('/')) path += 'index.html';
    const refused = status(path);
    if (refused !== 200) return response.writeHead(refused).end('refused by the test');
    try {
      const found = await readFile(join(root, path)).catch((error) =>
        path in changes ? Buffer.from('') : Promise.reject(error),
      );
      const type = types[path] ?? types[extname(path)] ?? TYPES[extname(path)];
      const bytes = path in changes ? Buffer.from(changes[path](found.toString())) : found;
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
    close: () => new Promise((done) => server.close(done).closeAllConnections?.()),
  };
}

/** Evaluates something in a blank page. Returns also the problems that a reader would have. */
export async function inBlank(browser, { blank }, f, argument) {
  const page = await browser.newPage();
  const problems = [];
  watch(page, problems);
  try {
    await page.goto(blank);
    return { result: await page.evaluate(f, argument), problems };
  } finally {
    await page.close();
  }
}

/** Firefox says so of a formula whose end has not arrived yet; page.test.js counts the parts. */
export const UNFINISHED = /^Invalid markup: Incorrect number of children for <m\w+\/> tag\./;

/** Collects what the page says that it should not have to say. */
function watch(page, problems) {
  page.on(
    'console',
    (message) =>
      ['error', 'warning'].includes(message.type()) && problems.push(`console: ${message.text()}`),
  );
  page.on('pageerror', ({ stack, message }) => {
    if (!UNFINISHED.test(message)) problems.push(`page: ${stack}`);
  });
}

/**
 * Opens the page and waits until every verdict is there. `problems` collects whatever a reader
 * should never have. Motion is reduced unless a test asks for it, so that nothing moves by itself.
 */
export async function visit(browser, { origin, url }, fragment = '', context = {}) {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...context,
  });
  const problems = [];
  watch(page, problems);
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
  page.on(
    'request',
    (request) =>
      /^(data|blob):/.test(request.url()) ||
      request.url().startsWith(origin) ||
      problems.push(`elsewhere: ${request.url()}`),
  );
  page.on(
    'response',
    (response) =>
      response.status() >= 400 && problems.push(`${response.status()}: ${response.url()}`),
  );
  await page.goto(`${url}?depth=doubt${fragment}`);
  await everything(page);
  return { page, problems };
}

/**
 * Inside a describe: one open page for all of its tests, in which nothing may have gone wrong by
 * the end.
 * @param {(visited: { browser: object, site: object, page: object }) => void} use called before the
 *   first test
 * @param {() => Promise<any>} [start] another browser
 */
export function opened(use, start = launch) {
  let browser;
  let site;
  let problems;
  before(async () => {
    browser = await start();
    site = await serve();
    const visited = await visit(browser, site);
    ({ problems } = visited);
    use({ browser, site, page: visited.page });
  });
  after(async () => {
    await browser?.close();
    await site?.close();
    assert.deepEqual(problems, [], 'no console message, error or failed request in all of this');
  });
}

/** Builds the panels that are far away as well, as the page does for a printer. */
export async function everything(page) {
  await page.waitForFunction(() => document.documentElement.dataset.engine, null, {
    timeout: 60000,
  });
  await page.evaluate(() => {
    dispatchEvent(new Event('beforeprint'));
    dispatchEvent(new Event('afterprint'));
  });
  await settled(page);
}

/** Engine there or failed, and no panel, verdict or answer of the lab outstanding. */
export async function settled(page) {
  await page.waitForFunction(
    () => {
      const { engine } = document.documentElement.dataset;
      return (
        engine === 'failed' ||
        (engine === 'ready' &&
          document.documentElement.dataset.lab !== 'busy' &&
          !document.querySelector('[data-verdict="waiting"], [data-panel="waiting"]'))
      );
    },
    null,
    { timeout: 60000 },
  );
}

/** Puts a state into the fragment of an open page, and waits until it is drawn. */
export async function go(page, fragment) {
  await page.evaluate((to) => {
    location.hash = to;
    // also where the address has not caught up with the reader yet
    dispatchEvent(new Event('hashchange'));
  }, fragment);
  await drawn(page);
}

/** A change is drawn in the next frame; two more are there for changes that this one requests. */
export async function drawn(page) {
  await page.evaluate(
    () =>
      new Promise((done) =>
        setTimeout(
          () =>
            requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))),
          30,
        ),
      ),
  );
  await settled(page);
}

/** Kept for human eyes when CLEARHEAD_SHOTS names a folder. */
export async function shoot(page, name) {
  if (!process.env.CLEARHEAD_SHOTS) return;
  await mkdir(process.env.CLEARHEAD_SHOTS, { recursive: true });
  await page.screenshot({ path: join(process.env.CLEARHEAD_SHOTS, `${name}.png`), fullPage: true });
}

/** |actual − expected| ≤ relative·|expected| + absolute. */
export function close(actual, expected, relative, what, absolute = 0) {
  const ok =
    Object.is(actual, expected) ||
    Math.abs(actual - expected) <= relative * Math.abs(expected) + absolute;
  assert.ok(ok, `${what}: ${actual} instead of ${expected}`);
}
