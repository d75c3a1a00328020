/**
 * The code of the built page. Its workers are bundled first. Then modules that say where files are
 * give way to others that know the built ones.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const ASSETS = 'assets';

/** The kernels, by path from the root. */
export const KERNELS = [
  'src/js/engine/attn.relaxed.wasm',
  'src/js/engine/attn.simd.wasm',
  'src/js/engine/model.relaxed.wasm',
  'src/js/engine/model.simd.wasm',
  'src/js/theory/theory.wasm',
];

/** The starters of page/workers.js, and the file of each worker. */
export const WORKERS = {
  startLab: 'web/page/lab-worker.js',
  startModel: 'src/js/worker/host.js',
  startTrainer: 'src/js/train/worker/train-host.js',
};

/**
 * Puts the texts of some modules in the place of others.
 * @param {Record<string, string>} modules by path from the root
 */
const replacing = (modules) => ({
  name: 'replacing',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const contents = modules[relative(root, path)];
      return contents === undefined ? undefined : { contents };
    });
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

/** The two modules that tell where kernels are. @param {(name: string) => string} address */
const kernelModules = (address) => ({
  'src/js/engine/files.js':
    'export const located = (make) => make();\n' +
    ['attention', 'model']
      .map((what) => {
        const kind = what === 'attention' ? 'attn' : 'model';
        const of = (variant) => address(`${kind}.${variant}.wasm`);
        return (
          `export const ${what}File = (relaxed) => ` +
          `relaxed ? ${of('relaxed')} : ${of('simd')};\n`
        );
      })
      .join(''),
  'src/js/theory/file.js': `export const theoryFile = () => ${address('theory.wasm')};\n`,
});

const bare = (path) => path.replace(/^.*\//, '');
const files = ({ outputFiles }, folder) =>
  outputFiles.map(({ path, contents }) => ({ path: relative(folder, path), contents }));

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
 * Modules for a site of many files.
 * @param {string} folder of the site
 * @param {Record<string, string>} kernels the built names of KERNELS, by their bare names
 * @param {string} model the built name of the model
 */
export async function bundleSite(folder, kernels, model) {
  const beside = (name) => `new URL(${JSON.stringify(name)}, import.meta.url)`;
  const places = kernelModules((name) => beside(kernels[name]));
  const options = {
    ...OPTIONS,
    format: 'esm',
    splitting: true,
    outdir: join(folder, ASSETS),
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    assetNames: '[name]-[hash]',
  };
  const workers = await build({
    ...options,
    entryPoints: Object.values(WORKERS),
    plugins: [replacing(places)],
  });
  const starters = Object.entries(WORKERS).map(([start, entry]) => {
    const { path } = outputOf(workers, entry, folder);
    return `export const ${start} = () => new Worker(${beside(bare(path))}, { type: 'module' });\n`;
  });
  const where = `${starters.join('')}export const ownModel = () => ${beside(`../${model}`)};\n`;
  const page = await build({
    ...options,
    entryPoints: ['web/main.js'],
    plugins: [replacing({ ...places, 'web/page/workers.js': where })],
  });
  const styles = await build({
    ...options,
    splitting: false,
    entryPoints: ['web/style.css', 'web/noscript.css'],
    loader: { '.woff2': 'file' },
  });
  return {
    files: [workers, page, styles].flatMap((result) => files(result, folder)),
    main: outputOf(page, 'web/main.js', folder),
    style: outputOf(styles, 'web/style.css', folder).path,
    plain: outputOf(styles, 'web/noscript.css', folder).path,
  };
}

/** Classic scripts and one style, for a single file. Workers get the kernels from the page. */
export async function bundleSingle() {
  // the kernels of models have those of attention, too
  const places = kernelModules(
    (name) => `clearheadFile(${JSON.stringify(name.replace('attn', 'model'))})`,
  );
  const options = { ...OPTIONS, format: 'iife', logOverride: { 'empty-import-meta': 'silent' } };
  const textOf = async (entry, modules) => {
    const plugins = [replacing({ ...places, ...modules })];
    const { outputFiles } = await build({ ...options, entryPoints: [entry], plugins });
    return outputFiles[0].text;
  };
  const workers = {};
  for (const [start, entry] of Object.entries(WORKERS)) workers[start] = await textOf(entry, {});
  const where =
    Object.keys(WORKERS)
      .map((start) => `export const ${start} = () => clearheadWorker('${start}');\n`)
      .join('') + 'export const ownModel = () => clearheadFiles.model;\n';
  const styles = await build({
    ...OPTIONS,
    entryPoints: ['web/style.css'],
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
