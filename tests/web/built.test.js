/** The built page: on a plain host in a sub-path, and as one file that is opened from the disk. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { browsers, missing, serve, verdicts, visit } from './site.js';
import { DEFAULT } from './statuses.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'build/site');
const paths = () =>
  readdirSync(folder, { recursive: true }).filter((path) => statSync(join(folder, path)).isFile());

describe('the built page', () => {
  before(() => promisify(execFile)(process.execPath, [join(root, 'scripts/site/build.js')]));

  test('each file that can be compressed has the same bytes beside it, compressed', () => {
    const all = paths();
    const packed = all.filter((path) => path.endsWith('.br'));
    assert.ok(packed.length > 20);
    for (const path of packed) {
      const plain = path.slice(0, -3);
      const bytes = readFileSync(join(folder, plain));
      assert.deepEqual(brotliDecompressSync(readFileSync(join(folder, path))), bytes, path);
      assert.deepEqual(gunzipSync(readFileSync(join(folder, `${plain}.gz`))), bytes, plain);
    }
  });

  test('the page names only files that are there, relative to itself', () => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const named = [...page.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, url]) => url);
    const local = named.filter((url) => !/^https:/.test(url));
    assert.ok(local.some((url) => /^assets\/main-\w+\.js$/.test(url)));
    assert.ok(local.some((url) => /^assets\/style-\w+\.css$/.test(url)));
    for (const url of local) assert.ok(existsSync(join(folder, url)), url);
  });

  test('the single file is at most 3 MB', () => {
    assert.ok(statSync(join(folder, 'clearhead.html')).size <= 3e6);
  });

  for (const { name, missing: without, launch } of browsers) {
    test(`opens in ${name} from a plain host in a sub-path`, { skip: without }, async () => {
      const [browser, site] = await Promise.all([launch(), serve()]);
      try {
        const built = { ...site, url: new URL('../build/site/', site.url).href };
        const { page, problems } = await visit(browser, built);
        assert.deepEqual(problems, []);
        assert.deepEqual(await verdicts(page), DEFAULT);
        const fonts = await page.evaluate(() => [...document.fonts].map(({ status }) => status));
        assert.ok(fonts.includes('loaded'));
      } finally {
        await browser.close();
        await site.close();
      }
    });

    test(`opens in ${name} as one file from the disk`, { skip: without }, async () => {
      const browser = await launch();
      try {
        const url = pathToFileURL(join(folder, 'clearhead.html')).href;
        const { page, problems } = await visit(browser, { origin: url, url });
        assert.deepEqual(problems, []);
        assert.deepEqual(await verdicts(page), DEFAULT);
      } finally {
        await browser.close();
      }
    });
  }

  test('the worker of the single file has the kernels', { skip: missing }, async () => {
    const [{ launch }] = browsers;
    const browser = await launch();
    try {
      const page = await browser.newPage();
      await page.goto(pathToFileURL(join(folder, 'clearhead.html')).href);
      const told = await page.evaluate(
        () =>
          new Promise((resolve) => {
            const worker = globalThis.clearheadWorker('startLab');
            worker.onmessage = ({ data }) => resolve(data);
            worker.postMessage({ id: 7, panel: 'page', op: 'ready', args: [] });
          }),
      );
      assert.deepEqual(told, { id: 7, result: { attention: true, theory: true } });
    } finally {
      await browser.close();
    }
  });
});
