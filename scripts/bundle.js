/**
 * Writes dist: clearhead in single files with the kernels and workers inside, for attention and for
 * models. Each is a classic script, which require gives too, and a module that imports the script
 * and hands out its functions. They are the modules of src/js; those of src/js/inline stand in the
 * place of the ones that load files.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { STREAMS, walk } from '../src/js/inline/streams.js';
import { smaller } from './smaller.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src/js');

/** The modules that are replaced, by path from src/js. */
const FILES = {
  'engine/files.js': 'inline/files.js',
  'engine/node.js': 'inline/node.js',
  'engine/spawn-thread.js': 'inline/spawn-thread.js',
  'theory/file.js': 'inline/theory-file.js',
  'worker/spawn.js': 'inline/spawn-host.js',
  'worker/spawn-attention.js': 'inline/spawn-attention.js',
};
const WITHOUT_LAYERS = { ...FILES, 'layers/index.js': 'inline/layers.js' };

/** The streams of a file. @param {Uint8Array} bytes @returns {number[][]} */
function split(bytes) {
  const streams = Array.from({ length: STREAMS }, () => []);
  let at = 0;
  walk(bytes.length, (stream) => {
    streams[stream].push(bytes[at]);
    return bytes[at++];
  });
  return streams;
}

/** Similar files stand next to each other, and those that most engines want come first. */
const VARIANTS = ['relaxed', 'simd'];
const PACKER = 'xz --format=lzma --lzma1=preset=9e,lc=0,lp=0,pb=0,nice=273 --stdout'.split(' ');
/** Bytes of the header that xz writes. */
const HEADER = 13;

/** @param {'attn' | 'model'} kind */
function packKernels(kind) {
  const files = {};
  const parts = [];
  let at = 0;
  const add = (name, path) => {
    const streams = split(readFileSync(join(source, path)));
    files[name] = { at, streams: streams.map(({ length }) => length) };
    for (const stream of streams) {
      parts.push(Buffer.from(stream));
      at += stream.length;
    }
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
 * @param {boolean} [privately] whether private names become properties that esbuild shortens
 */
const inline = (replaced, made, privately = false) => ({
  name: 'inline',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^clearhead:/ }, ({ path }) => ({ path, namespace: 'made' }));
    onLoad({ filter: /src\/js\/.*\.js$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { legalComments: 'none' });
      const file = basename(path, '.js').replaceAll('-', '_');
      return { contents: privately ? code.replace(PRIVATE, `private_${file}_`) : code };
    });
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

/**
 * The text of a bundle.
 * @param {string} entry below src/js @param {ReturnType<inline>} plugin @param {object} options
 */
async function bundle(entry, plugin, options = {}) {
  const { outputFiles } = await build({
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
    write: false,
    ...options,
  });
  return outputFiles[0].text;
}

/**
 * Node prints the whole line that an error comes from, so lines are short. Pages that tell no
 * charset read nothing but ASCII right.
 */
const FORMAT = { format: { ascii_only: true, max_line_len: 500 } };

/** The text of a thread as a classic script, in a module. */
async function thread() {
  const text = await bundle('engine/thread.js', inline(FILES, {}));
  return `export default ${JSON.stringify(await smaller(text, FORMAT))}`;
}

/** @param {'attn' | 'model'} kind */
const made = (kind) => ({
  kernels: () => `export default ${JSON.stringify(packKernels(kind))}`,
  thread,
});

/**
 * The files that import and require give for a script.
 * @param {string} name of all three, before the ending @param {string[]} functions
 */
function writeAround(name, functions) {
  const write = (ending, text) => writeFileSync(join(root, `dist/${name}.${ending}`), text);
  write('cjs', `require('./${name}.min.js');\nmodule.exports = globalThis.clearhead;\n`);
  const names = functions.join(', ');
  write(
    'js',
    `import './${name}.min.js';\n\nexport const { ${names} } =\n  globalThis.clearhead;\n`,
  );
}

/** Attention. */
async function writeAttention() {
  const script = await bundle('inline/index.js', inline(WITHOUT_LAYERS, made('attn')), {
    globalName: 'clearhead',
    // said again for import and require, which read it as a module
    footer: { js: 'globalThis.clearhead=clearhead;' },
  });
  writeFileSync(join(root, 'dist/clearhead.min.js'), await smaller(script, FORMAT));
  writeAround('clearhead', ['ClearheadError', 'init']);
}

/** A private name of a class, as esbuild prints it. */
const PRIVATE = /(?<=\.|^\s*(?:static |async |get |set |\*)*)#(?=[a-z])/gim;

/**
 * Models. The script is one function, and workers run its text. So a bundler must not lower it,
 * which would bring functions from outside. It is lowered here to the oldest target that bundlers
 * want (Vite 6). Private names become properties, because lowered ones are slow.
 */
async function writeModels() {
  const text = await bundle('inline/model.js', inline(FILES, made('model'), true), {
    globalName: 'clearhead',
    mangleProps: /^private_/,
    supported: { destructuring: true },
    target: ['es2020', 'chrome87', 'edge88', 'firefox78', 'safari14'],
  });
  const BEGIN = '"use strict";var clearhead=(()=>{';
  if (!text.startsWith(BEGIN)) throw new Error(`esbuild begins ${text.slice(0, 80)}`);
  const script =
    'globalThis.clearhead=(function clearheadCode(){"use strict";' + text.slice(BEGIN.length);
  writeFileSync(join(root, 'dist/clearhead-model.min.js'), await smaller(script, FORMAT));
  const functions = ['ClearheadError', 'init', 'inspectModel', 'loadModel', 'worker'];
  writeAround('clearhead-model', functions);
}

if (existsSync(join(source, 'engine/model.relaxed.wasm'))) {
  mkdirSync(join(root, 'dist'), { recursive: true });
  await writeAttention();
  await writeModels();
} else {
  console.error('dist: the relaxed kernels were not built, and it has both variants');
  process.exitCode = 1;
}
