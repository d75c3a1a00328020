/**
 * Writes dist: clearhead in single files with the kernels and workers inside, for attention and for
 * models. Each is a module and a classic script, which require gives too. They are the modules of
 * src/js; those of src/js/inline stand in the place of the ones that load files.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src/js');

/** The modules that are replaced, by path from src/js. */
const FILES = {
  'engine/files.js': 'inline/files.js',
  'engine/node.js': 'inline/node.js',
  'theory/file.js': 'inline/theory-file.js',
  'worker/spawn.js': 'inline/spawn-host.js',
  'worker/spawn-attention.js': 'inline/spawn-attention.js',
};
const WITHOUT_LAYERS = { ...FILES, 'layers/index.js': 'inline/layers.js' };
const FOR_ATTENTION = { ...WITHOUT_LAYERS, 'theory/index.js': 'inline/theory.js' };

/** Similar files stand next to each other, and those that most engines want come first. */
const VARIANTS = ['relaxed', 'simd'];
const PACKER = 'xz --format=lzma --lzma1=preset=9e,lc=3,lp=0,pb=0,nice=273 --stdout'.split(' ');
/** Bytes of the header that xz writes. */
const HEADER = 13;

/** @param {'attn' | 'model'} kind */
function packKernels(kind) {
  const files = {};
  const parts = [];
  let at = 0;
  const add = (name, path) => {
    const part = readFileSync(join(source, path));
    files[name] = [at, part.length];
    parts.push(part);
    at += part.length;
  };
  for (const variant of VARIANTS) add(variant, `engine/${kind}.${variant}.wasm`);
  add('theory', 'theory/theory.wasm');
  const [command, ...args] = PACKER;
  const packed = execFileSync(command, args, { input: Buffer.concat(parts) }).subarray(HEADER);
  const padding = Buffer.alloc((3 - (packed.length % 3)) % 3); // base64 then has none
  const base64 = Buffer.concat([packed, padding]).toString('base64');
  return { packed: base64, files };
}

/**
 * @param {Record<string, string>} replaced
 * @param {Record<string, () => string | Promise<string>>} made modules, by name after the colon
 */
const inline = (replaced, made) => ({
  name: 'inline',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^clearhead:/ }, ({ path }) => ({ path, namespace: 'made' }));
    onLoad({ filter: /./, namespace: 'made' }, async ({ path }) => ({
      contents: await made[path.slice('clearhead:'.length)](),
      resolveDir: root,
    }));
    onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, async ({ path, pluginData, ...where }) => {
      if (pluginData === 'resolved') return undefined;
      const found = await resolve(path, { ...where, pluginData: 'resolved' });
      const other = replaced[relative(source, found.path)];
      return other ? { ...found, path: join(source, other) } : found;
    });
  },
});

/** @param {string} entry below src/js @param {ReturnType<inline>} plugin @param {object} options */
const bundle = (entry, plugin, options) =>
  build({
    absWorkingDir: root,
    bundle: true,
    charset: 'ascii',
    entryPoints: [join(source, entry)],
    format: 'iife',
    legalComments: 'none',
    logLevel: 'warning',
    minify: true,
    platform: 'browser',
    plugins: [plugin],
    target: 'es2022',
    ...options,
  });

/** The text of a classic script, as a module. */
async function textOf(entry, made, replaced = FILES) {
  const { outputFiles } = await bundle(entry, inline(replaced, made), { write: false });
  return `export default ${JSON.stringify(outputFiles[0].text)}`;
}

const GLOBAL = { kernels: () => 'export default globalThis.clearheadKernels' };
const thread = () => textOf('engine/thread.js', {});

/** @param {'attn' | 'model'} kind @param {string} name of the files */
async function write(kind, name) {
  const kernels = JSON.stringify(packKernels(kind));
  const layers = kind === 'model';
  const entry = layers ? 'inline/model.js' : 'inline/index.js';
  const plugin = inline(layers ? FILES : WITHOUT_LAYERS, {
    kernels: () => `export default ${kernels}`,
    thread,
    host: () => textOf('worker/host.js', { ...GLOBAL, thread }),
    'attention-host': () =>
      textOf('worker/attention-host.js', { ...GLOBAL, thread }, FOR_ATTENTION),
  });
  await bundle(entry, plugin, { format: 'esm', outfile: join(root, `dist/${name}.js`) });
  await bundle(entry, plugin, {
    globalName: 'clearhead',
    // said again for require, which reads it as a module
    footer: { js: 'globalThis.clearhead=clearhead;' },
    outfile: join(root, `dist/${name}.min.js`),
  });
  const required = `require('./${name}.min.js');\nmodule.exports = globalThis.clearhead;\n`;
  writeFileSync(join(root, `dist/${name}.cjs`), required);
}

if (existsSync(join(source, 'engine/model.relaxed.wasm'))) {
  mkdirSync(join(root, 'dist'), { recursive: true });
  await write('attn', 'clearhead');
  await write('model', 'clearhead-model');
} else {
  console.error('dist: the relaxed kernels were not built, and it has both variants');
  process.exitCode = 1;
}
