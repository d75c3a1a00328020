/**
 * The code of the built page. The page and its workers are bundled together, so they share what
 * both use. Modules that name files are replaced by others, which name the built files.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { smaller } from '../smaller.js';
import { gathered } from './gather.js';
import { styleEntry } from './styles.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const ASSETS = 'assets';

/** The kernels, by path from the root. Those of models have those of attention, too. */
const MODEL_KERNELS = 'src/js/engine/model.simd.wasm';
const THEORY_KERNELS = 'src/js/theory/theory.wasm';
export const KERNELS = [MODEL_KERNELS, THEORY_KERNELS];

/** The starters of page/workers.js, and the file of each worker. */
export const WORKERS = {
  startLab: 'web/page/lab-worker.js',
  startModel: 'src/js/worker/host.js',
  startTrainer: 'src/js/train/worker/train-host.js',
};

/**
 * Puts the texts of some modules in the place of others, and gathers what all of them import.
 * @param {Record<string, string>} modules by path from the root
 */
const replacing = (modules) => ({
  name: 'replacing',
  setup(building) {
    building.onLoad({ filter: /\.js$/ }, ({ path }) => {
      const contents = modules[relative(root, path)];
      return contents === undefined ? undefined : { contents };
    });
    gathered(building, root);
  },
});

const OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  charset: 'utf8',
  external: ['node:*'],
  legalComments: 'none',
  logLevel: 'error',
  metafile: true,
  minify: true,
  platform: 'browser',
  target: 'es2022',
  write: false,
};

export const bare = (path) => path.replace(/^.*\//, '');

/** The two modules that tell where kernels are. @param {(name: string) => string} address */
const kernelModules = (address) => ({
  'src/js/engine/files.js':
    'export const located = (make) => make();\n' +
    ['attentionFile', 'modelFile']
      .map((name) => `export const ${name} = () => ${address(bare(MODEL_KERNELS))};\n`)
      .join(''),
  'src/js/theory/file.js': `export const theoryFile = () => ${address(bare(THEORY_KERNELS))};\n`,
});

const files = ({ outputFiles }, folder) =>
  Promise.all(
    outputFiles.map(async ({ path, contents, text }) => ({
      path: relative(folder, path),
      contents: path.endsWith('.js')
        ? Buffer.from(await smaller(text, { module: true }))
        : contents,
    })),
  );

/** Of an entry, its output and all that it loads at once. */
function outputOf({ metafile: { outputs } }, entry, folder) {
  const [found] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  const loads = new Set();
  const follow = (path) => {
    for (const { path: next, kind } of outputs[path].imports)
      if (kind === 'import-statement' && !loads.has(next) && outputs[next]) {
        loads.add(next);
        follow(next);
      }
  };
  follow(found);
  const inside = (path) => relative(folder, join(root, path));
  return { path: inside(found), loads: [...loads].map(inside) };
}

/**
 * The page knows its workers by links in index.html: their names have a hash, which is not known
 * before the page is bundled.
 */
const starters = Object.keys(WORKERS)
  .map(
    (name) =>
      `export const ${name} = () => new Worker(` +
      `document.querySelector('link[data-starter="${name}"]').href, { type: 'module' });\n`,
  )
  .join('');

/**
 * Modules for a site of many files.
 * @param {string} folder of the site
 * @param {Record<string, string>} kernels the built names of KERNELS, by their bare names
 * @param {string} model the built name of the model
 * @param {string} page the text of index.html, which links to the styles
 */
export async function bundleSite(folder, kernels, model, page) {
  const beside = (name) => `new URL(${JSON.stringify(name)}, import.meta.url)`;
  const code = await build({
    ...OPTIONS,
    format: 'esm',
    splitting: true,
    outdir: join(folder, ASSETS),
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    entryPoints: ['web/main.js', ...Object.values(WORKERS)],
    plugins: [
      replacing({
        ...kernelModules((name) => beside(kernels[name])),
        'web/page/workers.js': `${starters}export const ownModel = () => ${beside(`../${model}`)};`,
      }),
    ],
  });
  const styled = (entry) =>
    build({
      ...OPTIONS,
      outdir: join(folder, ASSETS),
      assetNames: '[name]-[hash]',
      loader: { '.woff2': 'file' },
      ...entry,
    });
  const style = await styled({ entryNames: 'style-[hash]', stdin: styleEntry(page, root) });
  const plain = await styled({ entryNames: '[name]-[hash]', entryPoints: ['web/noscript.css'] });
  const workers = Object.entries(WORKERS).map(([name, entry]) => [
    name,
    outputOf(code, entry, folder),
  ]);
  return {
    files: (await Promise.all([code, style, plain].map((result) => files(result, folder)))).flat(),
    main: outputOf(code, 'web/main.js', folder),
    workers: Object.fromEntries(workers),
    style: outputOf(style, '<stdin>', folder).path,
    plain: outputOf(plain, 'web/noscript.css', folder).path,
  };
}

/**
 * Classic scripts and one style, for a single file. Workers get the kernels from the page.
 * @param {string} page the text of index.html, which links to the styles
 */
export async function bundleSingle(page) {
  const places = kernelModules((name) => `clearheadFile(${JSON.stringify(name)})`);
  const options = { ...OPTIONS, format: 'iife', logOverride: { 'empty-import-meta': 'silent' } };
  const textOf = async (entry, modules) => {
    const plugins = [replacing({ ...places, ...modules })];
    const { outputFiles } = await build({ ...options, entryPoints: [entry], plugins });
    return smaller(outputFiles[0].text);
  };
  const workers = {};
  for (const [start, entry] of Object.entries(WORKERS)) workers[start] = await textOf(entry, {});
  const where =
    Object.keys(WORKERS)
      .map((start) => `export const ${start} = () => clearheadWorker('${start}');\n`)
      .join('') + 'export const ownModel = () => clearheadFiles.model;\n';
  const styles = await build({
    ...OPTIONS,
    stdin: styleEntry(page, root),
    loader: { '.woff2': 'dataurl' },
  });
  return {
    workers,
    main: await textOf('web/main.js', { 'web/page/workers.js': where }),
    style: styles.outputFiles[0].text,
  };
}

/** @param {string} path from the root */
export const read = (path) => readFileSync(join(root, path));
