/**
 * The page in few files. It has some 550 modules and styles, and to request them takes a browser
 * longer than to run them. page.test.js opens the page as it lies in the repository.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { styleEntry, styleLinks } from '../../../scripts/site/styles.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Beside the page's own folders, so that the addresses in its styles stay true. */
const FOLDER = 'web/bundled';
export const INDEX = 'web/index.html';
const MAIN = '<script type="module" src="main.js"></script>';
const STYLE = join(FOLDER, 'style.css');
/** The modules that know addresses: of workers, which are bundled too, and of kernels. */
const STARTERS = 'web/page/workers.js';
const KERNELS = ['src/js/engine/files.js', 'src/js/theory/file.js'];
const HOSTS = ['src/js/worker/host.js', 'src/js/train/worker/train-host.js'];

const output = (entry) => join(FOLDER, basename(entry));
/** Entries of scripts by the path of their bundle. */
const ENTRIES = new Map(
  [
    'web/main.js',
    'web/page/lab-worker.js',
    'src/js/engine/thread.js',
    'src/js/worker/attention-host.js',
    'src/js/worker/client.js',
    'tests/web/start/library.js',
    ...HOSTS,
  ].map((entry) => [output(entry), entry]),
);
/** The files that are made here, by path from the root. */
export const BUNDLED = [INDEX, STYLE, ...ENTRIES.keys()];
/** The folder of those without changes, where many files of tests share them. */
const VARIABLE = 'CLEARHEAD_BUNDLE';

/**
 * The page with some of its panels, which theme.js names: it runs before the page's modules. So one
 * bundle has them all.
 * @param {string[]} panels
 */
export const only = (panels) => ({
  ...CHOICE,
  'web/theme.js': (text) => `globalThis.chosenPanels = ${JSON.stringify(panels)};\n${text}`,
});
const CHOICE = {
  'web/page/panels.js': (text) =>
    once(text, 'export const PANELS =', 'const ALL =') +
    `export const PANELS = ALL.filter(({ id }) => globalThis.chosenPanels?.includes(id) ?? true);`,
};

/** One place of a text, replaced. */
function once(text, from, to) {
  if (text.split(from).length !== 2) throw new Error(`the page has not one ${from}`);
  return text.replace(from, to);
}

/** A module in a bundle, whose own address is that of the bundle. */
function moved(path, text) {
  if (path === STARTERS)
    return HOSTS.reduce((all, host) => once(all, relative('web/page', host), basename(host)), text);
  const address = `new URL('${relative(FOLDER, path)}', import.meta.url)`;
  return KERNELS.includes(path) ? text.replaceAll('import.meta.url', address) : text;
}

/** For esbuild: modules that are served otherwise than they lie in the repository. */
const modules = (changes, served) => ({
  name: 'modules',
  setup({ onLoad, onResolve }) {
    // a change may add a file
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const found = join(resolveDir, path);
      return relative(root, found) in changes ? { path: found } : undefined;
    });
    const names = [...Object.keys(changes), STARTERS, ...KERNELS];
    const filter = new RegExp(`/(${names.join('|').replaceAll('.', '[.]')})$`);
    onLoad({ filter }, async ({ path }) => {
      const name = relative(root, path);
      return { contents: moved(name, await served(name)) };
    });
  },
});

/** @param {string} path @param {Record<string, (text: string) => string>} changes */
async function make(path, changes) {
  const served = async (name) => {
    const text = await readFile(join(root, name), 'utf8').catch((error) =>
      name in changes ? '' : Promise.reject(error),
    );
    return changes[name]?.(text) ?? text;
  };
  if (path === INDEX) {
    const page = await served(INDEX);
    const style = `<link rel="stylesheet" href="${relative('web', STYLE)}">\n`;
    const main = MAIN.replace('main.js', relative('web', output('web/main.js')));
    return Buffer.from(once(once(page, styleLinks(page), style), MAIN, main));
  }
  const { build } = await import('esbuild');
  const entry = ENTRIES.get(path);
  const { outputFiles } = await build({
    absWorkingDir: root,
    bundle: true,
    charset: 'utf8',
    external: ['node:*', '*.woff2'],
    format: 'esm',
    logLevel: 'silent',
    outfile: join(root, path),
    target: 'es2022',
    write: false,
    ...(entry
      ? { entryPoints: [entry], plugins: [modules(changes, served)] }
      : { stdin: styleEntry(await served(INDEX), root) }),
  });
  return Buffer.from(outputFiles[0].contents);
}

/** @type {Map<string, Promise<Buffer>>} without changes, by path */
const made = new Map();

/** Each is made once in a run of tests. @param {string} path */
function unchanged(path) {
  const folder = process.env[VARIABLE];
  if (!made.has(path)) made.set(path, folder ? readFile(join(folder, path)) : make(path, CHOICE));
  return made.get(path);
}

/**
 * One of the files.
 * @param {string} path
 * @param {Record<string, (text: string) => string>} changes of served files, by path
 */
export async function bundled(path, changes) {
  const plain = await unchanged(path);
  // esbuild names each module in a comment
  const concerned = (name) => name === path || plain.includes(`// ${name}\n`);
  return Object.keys(changes).some(concerned) ? make(path, { ...CHOICE, ...changes }) : plain;
}

/** Makes them for many files of tests. Returns the environment in which these find them. */
export async function shareBundle() {
  const folder = join(root, 'build/bundled');
  for (const path of BUNDLED) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), await make(path, CHOICE));
  }
  return { [VARIABLE]: folder };
}
