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
import { PICTURE, withAddress, withoutPicture } from '../../scripts/site/card.js';
import { LONG } from '../support/campaign.js';
import { browsers, inBlank, serve, verdicts, visit } from './site.js';
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

/** The tags that crawlers read, by name. */
const tagsOf = (page) =>
  Object.fromEntries(
    [...page.matchAll(/<meta (?:name|property)="([a-z:]+)"\s+content="([^"]+)">/g)].map(
      ([, name, content]) => [name, content.replace(/\s+/g, ' ')],
    ),
  );

/** In a page: the size of a picture, and the shares of dark and light pixels in each half. */
async function looked(url) {
  const image = await createImageBitmap(await (await fetch(url)).blob());
  const { width, height } = image;
  const canvas = new OffscreenCanvas(width, height).getContext('2d');
  canvas.drawImage(image, 0, 0);
  const halves = [0, width / 2].map((x) => {
    const { data } = canvas.getImageData(x, 0, width / 2, height);
    const green = data.filter((_, i) => i % 4 === 1);
    const share = (test) => green.filter(test).length / green.length;
    return { dark: share((value) => value < 96), light: share((value) => value > 224) };
  });
  return { width, height, halves };
}

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

  test('a link to it has a title, words and a picture of some 100 kB', () => {
    const tags = tagsOf(readFileSync(join(folder, 'index.html'), 'utf8'));
    assert.equal(tags['og:title'], 'Where does a language model look?');
    assert.ok(tags.description.startsWith(tags['og:description']));
    assert.equal(tags['og:type'], 'website');
    assert.equal(tags['twitter:card'], 'summary_large_image');
    assert.equal(tags['og:image'], PICTURE, 'beside the page, whose address nobody has told');
    assert.ok(tags['og:image:alt'].length > 20);
    assert.ok(statSync(join(folder, PICTURE)).size <= 120e3);
  });

  const [{ missing: noChromium, launch: launchChromium }] = browsers;
  test('the picture has its size, and is one of the page', { skip: noChromium }, async () => {
    const tags = tagsOf(readFileSync(join(folder, 'index.html'), 'utf8'));
    const [browser, site] = await Promise.all([launchChromium(), serve()]);
    const url = new URL(`../build/site/${PICTURE}`, site.url).href;
    const { result } = await inBlank(browser, site, looked, url);
    assert.equal(tags['og:image:type'], 'image/jpeg');
    assert.equal(result.width, Number(tags['og:image:width']));
    assert.equal(result.height, Number(tags['og:image:height']));
    for (const { dark, light } of result.halves) {
      assert.ok(light > 0.4 && light < 0.98, `paper: ${light}`);
      assert.ok(dark > 0.01 && dark < 0.3, `words: ${dark}`);
    }
    await browser.close();
    await site.close();
  });

  test('with the address of the page, a link has those of the page and the picture', () => {
    const page = readFileSync(join(root, 'web/index.html'), 'utf8');
    const tags = tagsOf(withAddress(page, 'https://example.org/a/b/'));
    assert.equal(tags['og:url'], 'https://example.org/a/b/');
    assert.equal(tags['og:image'], `https://example.org/a/b/${PICTURE}`);
    for (const wrong of ['example.org/', 'https://example.org/a', '/a/', ''])
      assert.throws(() => withAddress(page, wrong), /--address is https:\/\/…\/, a folder/);
  });

  test('the single file names no picture, as none is beside it', () => {
    const page = readFileSync(join(root, 'web/index.html'), 'utf8');
    const names = (html) => Object.keys(tagsOf(html)).filter((name) => /image|twitter/.test(name));
    assert.equal(names(page).length, 6);
    assert.deepEqual(names(withoutPicture(page)), []);
    assert.deepEqual(names(readFileSync(join(folder, 'clearhead.html'), 'utf8')), []);
  });

  test('the single file has its styles without JavaScript in it', () => {
    const html = readFileSync(join(folder, 'clearhead.html'), 'utf8');
    const [, plain] = /<noscript><style>(.*?)<\/style><\/noscript>/s.exec(html);
    assert.equal(plain, readFileSync(join(root, 'web/noscript.css'), 'utf8'));
    assert.doesNotMatch(html, /noscript\.css/);
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
        assert.ok(!site.requests.some((path) => path.endsWith(PICTURE)), 'it is for crawlers');
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
