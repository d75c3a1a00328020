/**
 * Writes build/site: the page for any static host, in any sub-path, and clearhead.html, the same
 * page in one file. Names in assets carry a hash of their bytes, so they may be cached for ever.
 * Beside each file lie its .gz and .br, for hosts that send them.
 *
 *   node scripts/site/build.js
 *   node scripts/site/build.js --address https://example.org/clearhead/
 *
 * With the address where it will be, a link to it has a picture everywhere (card.js).
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { transform } from 'esbuild';
import { withFirstFrame } from './first-frame.js';
import { PICTURE, withAddress, withoutPicture } from './card.js';
import { bare, bundleSingle, bundleSite, KERNELS, read, root } from './bundle.js';
import { styleLinks } from './styles.js';

const SITE = join(root, 'build/site');
const MODEL = 'model/stories-Q8_0.gguf';
const COPIED = ['icon.svg', 'from-file.js', PICTURE];
const { address } = parseArgs({ options: { address: { type: 'string' } } }).values;

/** @type {Map<string, number[]>} the sizes of a file: plain, gzip, brotli */
const sizes = new Map();

/** @param {string} path @param {string | Uint8Array} contents */
function put(path, contents) {
  const bytes = Buffer.from(contents);
  const file = join(SITE, path);
  const size = bytes.length;
  const { BROTLI_PARAM_SIZE_HINT, BROTLI_PARAM_QUALITY } = constants;
  const params = { [BROTLI_PARAM_SIZE_HINT]: size, [BROTLI_PARAM_QUALITY]: 11 };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  sizes.set(path, [size, size, size]);
  if (/\.(woff2|jpg)$/.test(path) || path === 'clearhead.html') return;
  const packed = [gzipSync(bytes, { level: 9 }), brotliCompressSync(bytes, { params })];
  writeFileSync(`${file}.gz`, packed[0]);
  writeFileSync(`${file}.br`, packed[1]);
  sizes.set(path, [size, ...packed.map(({ length }) => length)]);
}

/** The name of a file with a hash of its bytes. @param {string} name @param {Uint8Array} bytes */
const hashed = (name, bytes) =>
  name.replace(/\.(\w+)$/, `-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}.$1`);

/** Replaces what must be there once. */
function once(text, from, to) {
  if (text.split(from).length !== 2) throw new Error(`index.html has not one ${from}`);
  return text.replace(from, () => to);
}

/** The two scripts that run before the page is painted. */
async function early() {
  const text = `${read('web/theme.js')}\n${read('web/watchdog.js')}`;
  return (await transform(text, { minify: true })).code;
}

const PLAIN = 'href="noscript.css"';
const EARLY = '<script src="theme.js"></script>\n<script src="watchdog.js"></script>';
const FILE = '<script src="from-file.js" defer></script>\n';
const MAIN = '<script type="module" src="main.js"></script>';

/** @param {string} page @param {boolean} hasModel */
async function writeSite(page, hasModel) {
  const kernels = {};
  for (const path of KERNELS) {
    const bytes = read(path);
    const name = hashed(bare(path), bytes);
    kernels[bare(path)] = name;
    put(`assets/${name}`, bytes);
  }
  const model = hasModel ? hashed(MODEL, read(`web/${MODEL}`)) : MODEL;
  if (hasModel) put(model, read(`web/${MODEL}`));
  const { files, main, workers, style, plain } = await bundleSite(SITE, kernels, model, page);
  for (const { path, contents } of files) put(path, contents);
  const script = await early();
  const first = `assets/${hashed('early.js', Buffer.from(script))}`;
  put(first, script);
  const fonts = files
    .map(({ path }) => path)
    .filter((path) => /\/(inter|source-serif-4)-[A-Z0-9]+\.woff2$/.test(path));
  const ahead = [
    ...fonts.map(
      (path) => `<link rel="preload" href="${path}" as="font" type="font/woff2" crossorigin>`,
    ),
    ...new Set(
      [...main.loads, workers.startModel.path, ...workers.startModel.loads].map(
        (path) => `<link rel="modulepreload" href="${path}">`,
      ),
    ),
    ...Object.entries(workers).map(
      ([name, { path }]) => `<link rel="worker" data-starter="${name}" href="${path}">`,
    ),
  ];
  const links = [`<link rel="stylesheet" href="${style}">`, ...ahead, ''].join('\n');
  let text = once(page, styleLinks(page), links);
  text = once(text, PLAIN, `href="${plain}"`);
  text = once(text, EARLY, `<script src="${first}"></script>`);
  text = once(text, MAIN, `<script type="module" src="${main.path}"></script>`);
  put('index.html', withAddress(text, address));
  for (const name of COPIED) put(name, read(`web/${name}`));
}

/** No bytes of a script may end its element. */
const script = (text) => `<script>${text.replaceAll('</script', '<\\/script')}</script>`;
const dataUrl = (type, bytes) => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;

/** Runs in the page and its workers: a kernel, as if it came from a server. */
const unpack = `(name) => {
  const bytes = Uint8Array.from(atob(clearheadFiles[name]), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(plain, { headers: { 'content-type': 'application/wasm' } });
}`;

/** @param {string} page @param {boolean} hasModel */
async function writeSingle(page, hasModel) {
  const { workers, main, style } = await bundleSingle(page);
  const kernels = KERNELS.map((path) => [
    bare(path),
    gzipSync(read(path), { level: 9 }).toString('base64'),
  ]);
  const model = hasModel && dataUrl('application/octet-stream', read(`web/${MODEL}`));
  const kept = JSON.stringify({ ...Object.fromEntries(kernels), model });
  // a worker has the kernels as the page has them, and not the model, which the page hands over
  const starting = `
    globalThis.clearheadFiles = ${kept};
    globalThis.clearheadFile = ${unpack};
    globalThis.clearheadWorker = (name) => {
      const { model, ...kernels } = clearheadFiles;
      const head = 'globalThis.clearheadFiles = ' + JSON.stringify(kernels) +
        ';globalThis.clearheadFile = ' + clearheadFile + ';';
      const text = clearheadWorkers[name];
      return new Worker(URL.createObjectURL(new Blob([head, text], { type: 'text/javascript' })));
    };
    globalThis.clearheadWorkers = ${JSON.stringify(workers)};`;
  const icon = dataUrl('image/svg+xml', read('web/icon.svg'));
  const own =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob: data:; " +
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; worker-src blob:; " +
    "connect-src data: blob:; base-uri 'none'; form-action 'none'";
  let text = withoutPicture(page).replace(/content="default-src[^"]*"/, `content="${own}"`);
  text = once(text, styleLinks(page), `<style>${style}</style>\n`);
  const plain = `<style>${read('web/noscript.css')}</style>`;
  text = once(text, '<link rel="stylesheet" href="noscript.css">', plain);
  text = once(text, 'href="icon.svg"', `href="${icon}"`);
  text = once(text, EARLY, script(await early()));
  text = once(text, FILE, '');
  text = once(text, MAIN, '');
  text = once(text, '</body>', `${script(starting)}\n${script(main)}\n</body>`);
  put('clearhead.html', text);
}

rmSync(SITE, { recursive: true, force: true });
const hasModel = existsSync(join(root, 'web', MODEL));
const plainPage = String(read('web/index.html'));
const page = hasModel ? await withFirstFrame(plainPage, read(`web/${MODEL}`)) : plainPage;
await writeSite(page, hasModel);
await writeSingle(page, hasModel);

const kilobytes = (bytes) => (bytes / 1000).toFixed(1).padStart(8);
for (const [path, three] of sizes) console.log(...three.map(kilobytes), ` ${path}`);
const first = [...sizes].filter(
  ([path]) => path !== PICTURE && !/^(clearhead\.html|model\/)/.test(path),
);
const sum = (at) => first.reduce((all, [, three]) => all + three[at], 0);
console.log(...[0, 1, 2].map((at) => kilobytes(sum(at))), ' all without the model (kB)');
if (!hasModel) console.log(`There is no web/${MODEL}: the page says so where it needs one.`);
