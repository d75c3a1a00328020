/** Debian's Chromium, and a static server for the pages it opens. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { launch } from '../web/site.js';
import { resultIn } from './app.js';

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
};
/** For threads, and so that another origin's page may load the files. */
const HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  'service-worker-allowed': '/',
};
const MINUTE = 60e3;

/** Serves a folder; no answer tells a charset. */
export async function serve(folder, headers = {}) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    try {
      const content = await readFile(join(folder, normalize(path)));
      const type = TYPES[extname(path)] ?? 'application/octet-stream';
      response.writeHead(200, { ...HEADERS, 'content-type': type, ...headers }).end(content);
    } catch {
      response.writeHead(404, HEADERS).end();
    }
  });
  await new Promise((listening) => server.listen(0, 'localhost', listening));
  return {
    at: `http://localhost:${server.address().port}/`,
    close: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  };
}

let browser;

/** Opens a page, and returns the results that it says on the console. */
export async function open(address) {
  browser ??= await launch();
  const context = await browser.newContext();
  const page = await context.newPage();
  const said = [];
  try {
    const told = new Promise((resolve) => {
      page.on('console', (message) => {
        said.push(message.text());
        if (message.text().startsWith('RESULT ')) resolve();
      });
      page.on('pageerror', (error) => said.push(String(error.stack)));
      setTimeout(resolve, MINUTE).unref();
    });
    await page.goto(address, { timeout: MINUTE });
    await told;
    return resultIn(said.join('\n'));
  } finally {
    await context.close();
  }
}

/** The results of a page of a folder. */
export async function openFolder(folder, page = '') {
  const site = await serve(folder);
  try {
    return await open(site.at + page);
  } finally {
    await site.close();
  }
}

export const closeBrowser = () => browser?.close();
