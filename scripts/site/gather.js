/**
 * Gathers the modules of the built page in few files, which compress better than many. A clone
 * imports a part when it is wanted. Here the library is loaded with whatever imports it. The look
 * is part of the page, and the panels behind it are one file.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { transform } from 'esbuild';

/** Stays apart: it reads the chat templates of other models, with a library of its own. */
const APART = 'src/js/model/text/jinja/program.js';
const PANELS = 'web/page/panels.js';
const FIRST = 'look';
const OTHERS = 'panels';

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
    if (join(folder, path) === APART) return whole;
    imports.push(`import * as gathered${imports.length} from '${path}';`);
    return `Promise.resolve(gathered${imports.length - 1})`;
  });
  return imports.join('') + body;
}

/** @param {import('esbuild').PluginBuild} building @param {string} root */
export function gathered({ onLoad, onResolve }, root) {
  /** @type {Set<string>} the panels behind the first */
  const others = new Set();
  onLoad({ filter: /\.js$/ }, async ({ path }) => {
    const from = relative(root, path);
    if (from.includes('node_modules')) return undefined;
    const source = await readFile(path, 'utf8');
    const { code } = await transform(source, { legalComments: 'none', minifyWhitespace: true });
    if (from !== PANELS) return { contents: together(code, dirname(from)) };
    const grouped = code.replace(PANEL, (whole, id) => {
      if (id === FIRST) return whole;
      others.add(id);
      return `import("gathered:${OTHERS}").then((all)=>all[${JSON.stringify(id)}])`;
    });
    return { contents: together(grouped, dirname(from)) };
  });
  onResolve({ filter: /^gathered:/ }, () => ({ path: OTHERS, namespace: 'gathered' }));
  onLoad({ filter: /./, namespace: 'gathered' }, () => ({
    resolveDir: join(root, 'web/panels'),
    contents: [...others]
      .map((id) => `export * as ${JSON.stringify(id)} from './${id}/index.js';`)
      .join('\n'),
  }));
}
