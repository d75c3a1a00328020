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
import { LONG } from '../support/campaign.js';
import { browsers, serve, verdicts, visit } from './site.js';
import { BY_PANEL, DEFAULT } from './statuses.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'build/site');
const paths = () =>
  readdirSync(folder, { recursive: true }).filter((path) => statSync(join(folder, path)).isFile());

/**
 * The panels that a browser shows, as a part of the address, and their verdicts. Chromium shows
 * that all of them were bundled, and page.test.js that each browser can show all. Firefox therefore
 * shows one, which needs a worker and the kernels of attention and of statements.
 */
const shownIn = (name) =>
  LONG || name === 'Chromium' ? ['', DEFAULT] : ['&embed=distance', BY_PANEL.distance];

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
    const [panels, expected] = shownIn(name);

    test(`opens in ${name} from a plain host in a sub-path`, { skip: without }, async () => {
      const [browser, site] = await Promise.all([launch(), serve()]);
      try {
        const built = { ...site, url: new URL('../build/site/', site.url).href };
        const { page, problems } = await visit(browser, built, panels);
        assert.deepEqual(problems, []);
        assert.deepEqual(await verdicts(page), expected);
        const fonts = await page.evaluate(() => [...document.fonts].map(({ status }) => status));
        assert.ok(fonts.includes('loaded'));
      } finally {
        await browser.close();
        await site.close();
      }
    });

    const claim = `opens in ${name} as one file from the disk, whose worker has the kernels`;
    test(claim, { skip: without }, async () => {
      const browser = await launch();
      try {
        const url = pathToFileURL(join(folder, 'clearhead.html')).href;
        const { page, problems } = await visit(browser, { origin: url, url }, panels);
        assert.deepEqual(problems, []);
        assert.deepEqual(await verdicts(page), expected);
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
  }
});
