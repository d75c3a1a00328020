/**
 * Gathers the modules of the built page in few files, which compress better than many. In a clone
 * import() loads parts of the library when they are needed. The built page loads them at once, with
 * the module that imports them. The first panel is part of the page. The next panels are one file,
 * and the panels after them another. Modules lie in one file where the same files use them.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { transform } from 'esbuild';

/**
 * Stay apart: chat templates of other models, measures that no panel asks for, and the work of
 * three panels far down.
 */
const APART = [
  'src/js/model/text/jinja/program.js',
  'src/js/model/inspect/heads.js',
  'src/js/model/inspect/lens.js',
  'src/js/model/inspect/sweep.js',
  'src/js/model/inspect/ledger/token-ledger.js',
  'src/js/model/run/compare-heads.js',
  'web/panels/born/worker.js',
  'web/panels/proofs/worker.js',
];
/** Modules of this folder that stay apart import its index.js, which makes fewer files. */
const MODEL = 'src/js/model';
const PANELS = 'web/page/panels.js';
const FIRST = 'look';
const NEXT = ['one-look', 'many-heads', 'cold-hot'];

const IMPORT = /\bimport\("(\.[^"]+)"\)/g;
const PANEL = /import\("\.\.\/panels\/([\w-]+)\/index\.js"\)/g;

/**
 * Imports that wait become imports that do not.
 * @param {string} code without comments
 * @param {string} folder of the module, from the root
 */
function together(code, folder) {
  const imports = [];
  const body = code.replace(IMPORT, (whole, path) => {
    if (APART.includes(join(folder, path))) return whole;
    imports.push(`import * as gathered${imports.length} from '${path}';`);
    return `Promise.resolve(gathered${imports.length - 1})`;
  });
  return imports.join('') + body;
}

/** @param {import('esbuild').PluginBuild} building @param {string} root */
export function gathered({ initialOptions: { splitting }, onLoad, onResolve }, root) {
  /** @type {Record<string, string[]>} panels by the file that has them */
  const groups = { next: [], far: [] };
  onLoad({ filter: /\.js$/ }, async ({ path }) => {
    const from = relative(root, path);
    if (from.includes('node_modules')) return undefined;
    const source = await readFile(path, 'utf8');
    const { code } = await transform(source, { legalComments: 'none', minifyWhitespace: true });
    const inModel = splitting && APART.includes(from) && from.startsWith(`${MODEL}/`);
    const model = inModel ? `import ${JSON.stringify(join(root, MODEL, 'index.js'))};` : '';
    if (from !== PANELS) return { contents: model + together(code, dirname(from)) };
    const grouped = code.replace(PANEL, (whole, id) => {
      if (id === FIRST) return whole;
      const group = NEXT.includes(id) ? 'next' : 'far';
      groups[group].push(id);
      return `import("gathered:${group}").then((all)=>all[${JSON.stringify(id)}])`;
    });
    return { contents: together(grouped, dirname(from)) };
  });
  onResolve({ filter: /^gathered:/ }, ({ path }) => ({
    path: path.slice('gathered:'.length),
    namespace: 'gathered',
  }));
  onLoad({ filter: /./, namespace: 'gathered' }, ({ path }) => ({
    resolveDir: join(root, 'web/panels'),
    contents: groups[path]
      .map((id) => `export * as ${JSON.stringify(id)} from './${id}/index.js';`)
      .join('\n'),
  }));
}
