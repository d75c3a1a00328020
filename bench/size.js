/**
 * The download of a page before its first attention: the files that each library needs, compressed
 * with brotli.
 */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'bench/node_modules');
/** Ten megabytes of wasm take half a minute; a version is compressed once. */
const known = join(root, 'bench/results/sizes.json');

/** The file and the ones it imports, not those it may import later. @param {string} file */
function graph(file) {
  const seen = new Set([file]);
  for (const each of seen)
    for (const [, name] of readFileSync(each, 'utf8').matchAll(
      /^\s*(?:import|export)\b(?:[^'";]*?\bfrom)?\s*["'](\.[^"']+)["']/gm,
    ))
      seen.add(join(dirname(each), name));
  return [...seen];
}

/**
 * An entry as a bundler ships it. Threads, layers and statements load only when asked for.
 * @param {string} entry
 */
async function bundled(entry) {
  const outdir = join(root, 'bench/results/bundle');
  rmSync(outdir, { recursive: true, force: true });
  await build({
    entryPoints: [join(root, entry)],
    outdir,
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    external: ['./engine/threads.js', './layers/index.js', './theory/index.js'],
  });
  return readdirSync(outdir).map((name) => join(outdir, name));
}

const inModule =
  (name, ...files) =>
  () =>
    files.map((file) => join(modules, name, file));

/** The files of each library: the builds for pages, as published. */
const DOWNLOADS = {
  async clearhead() {
    const wasm = readdirSync(join(root, 'src/js/engine'))
      .filter((name) => /^attn\.(simd|relaxed)\.wasm$/.test(name))
      .map((name) => join(root, 'src/js/engine', name));
    // either, so the larger
    return [
      ...(await bundled('src/js/index.js')),
      wasm.sort((a, b) => statSync(b).size - statSync(a).size)[0],
    ];
  },
  'onnxruntime-web': inModule(
    'onnxruntime-web/dist',
    'ort.wasm.bundle.min.mjs',
    'ort-wasm-simd-threaded.wasm',
  ),
  tfjs: () => [
    ...inModule('@tensorflow/tfjs-core/dist', 'tf-core.min.js')(),
    ...inModule(
      '@tensorflow/tfjs-backend-wasm/dist',
      'tf-backend-wasm.min.js',
      'tfjs-backend-wasm-simd.wasm',
    )(),
  ],
  'jax-js': () => graph(join(modules, '@jax-js/jax/dist/index.js')),
  'LiteRT.js': () => [
    ...inModule(
      '@litertjs/core',
      'dist/index.js',
      'wasm/litert_wasm_internal.js',
      'wasm/litert_wasm_internal.wasm',
    )(),
    ...inModule('@litertjs/wasm-utils/dist', 'index.js')(),
  ],
};

/**
 * @param {{ quick: boolean, versions: Record<string, string> }} options quick: peers only where
 *   their size is known from before
 */
export async function downloads({ quick, versions }) {
  const cache = existsSync(known) ? JSON.parse(readFileSync(known, 'utf8')) : {};
  const rows = await Promise.all(
    Object.entries(DOWNLOADS).map(async ([name, list]) => {
      try {
        const files = await list();
        const mine = name === 'clearhead';
        const sized = files.map((file) => `${relative(root, file)} ${statSync(file).size}`);
        const key = `${name} ${JSON.stringify(versions)} ${sized}`;
        if (quick && !mine && !cache[key]) return { name, why: 'not compressed in a quick run' };
        const sizes =
          (!mine && cache[key]) ||
          (await Promise.all(
            files.map(async (file) => (await promisify(brotliCompress)(readFileSync(file))).length),
          ));
        if (!mine) cache[key] = sizes;
        return {
          name,
          bytes: sizes.reduce((a, b) => a + b, 0),
          files: files.map((file, at) => ({ file: relative(root, file), bytes: sizes[at] })),
        };
      } catch (error) {
        return { name, why: error.message };
      }
    }),
  );
  mkdirSync(dirname(known), { recursive: true });
  writeFileSync(known, `${JSON.stringify(cache, null, 1)}\n`);
  return rows;
}
