/** The repository's own files, with their imports and includes. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
export const bytes = (file) => readFileSync(join(root, file));
export const read = (file) => readFileSync(join(root, file), 'utf8');
export const exists = (file) => existsSync(join(root, file));

/** Where the files of the main branch are: shown, and as they are. */
const ADDRESSES =
  /^https:\/\/(github\.com|raw\.githubusercontent\.com)\/clearhead-js\/clearhead\/(blob\/)?main\//;
/** A link to a file of this repository as its path from the root. Other links stay as they are. */
export const withoutAddress = (link) => link.replace(ADDRESSES, '');

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file && exists(file));

/** The files below a folder that git keeps or would keep, as paths from the root. */
export const files = (folder = '', pattern = /./) =>
  listed.filter((file) => file.startsWith(folder && `${folder}/`) && pattern.test(file));

/** The text of a document. */
export const withoutCode = (text) => text.replace(/```[\s\S]*?```/g, '');

/** The text of C or JavaScript. */
export const withoutComments = (text) =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

/** The imports of each JavaScript file, as esbuild finds them in all files at once. */
let inputs;
function readAll() {
  const { metafile } = buildSync({
    absWorkingDir: root,
    bundle: true,
    entryPoints: files('', /\.js$/),
    external: ['./*', '../*', 'node:*'],
    format: 'esm',
    logLevel: 'error',
    metafile: true,
    outdir: '.',
    packages: 'external',
    write: false,
  });
  return metafile.inputs;
}

/** The imports of a JavaScript file: bare and node: names as they stand, files from the root. */
export function imports(file, { dynamic = true } = {}) {
  inputs ??= readAll();
  return inputs[file].imports
    .filter(({ kind }) => dynamic || kind !== 'dynamic-import')
    .map(({ path }) => (path.startsWith('.') ? posix.join(posix.dirname(file), path) : path));
}

/** The files that a declaration imports. It may call another by the name of its JavaScript. */
export function typeImports(file) {
  return [...read(file).matchAll(/(?:\bfrom|\bimport\()\s*'(\.[^']+)'/g)].map(([, path]) => {
    const named = posix.join(posix.dirname(file), path);
    const declaration = named.replace(/\.js$/, '.d.ts');
    return exists(declaration) ? declaration : named;
  });
}

/** The files of this repository that a C file includes; the compiler's own headers are left out. */
export function includes(file) {
  const places = [posix.dirname(file), 'src/c', 'src/include'];
  return [...read(file).matchAll(/^\s*#\s*include\s*"([^"]+)"/gm)].map(
    ([, name]) => places.map((place) => posix.join(place, name)).find(exists) ?? name,
  );
}

/**
 * The circles of a graph, each as the list of its nodes.
 * @template T @param {Map<T, Set<T>>} graph
 */
export function circles(graph) {
  const reach = new Map();
  for (const start of graph.keys()) {
    const seen = new Set(graph.get(start));
    for (const node of seen) for (const next of graph.get(node) ?? []) seen.add(next);
    reach.set(start, seen);
  }
  const found = new Map();
  for (const [node, seen] of reach)
    if (seen.has(node)) {
      const circle = [...seen].filter((other) => reach.get(other)?.has(node)).sort();
      found.set(circle.join(' '), circle);
    }
  return [...found.values()];
}
