/**
 * The order of the folders: each may use those below it. C files use each other by #include and by
 * calls, JavaScript by import.
 */
import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { describe, test } from 'node:test';
import {
  circles,
  exists,
  files,
  imports,
  includes,
  read,
  typeImports,
  withoutComments,
} from '../support/package/repository.js';

/** The folders of src/c, and the folders each may use. All use the manuals in src/include. */
const C_FOLDERS = {
  base: [],
  attention: ['base'],
  matrix: ['base'],
  theory: ['base'],
  layers: ['base', 'attention', 'matrix'],
  model: ['base', 'attention', 'matrix', 'layers'],
  train: ['base', 'attention', 'matrix', 'layers'],
};

/** The files of src/js that all folders may import. */
const COMMON = ['arrays.js', 'errors.js', 'kinds.js', 'names.js', 'check.js'];

/** The folders of src/js and the files beside them, and those each may import. */
const JS_FOLDERS = {
  'arrays.js': [],
  'errors.js': ['arrays.js'],
  'kinds.js': [],
  'names.js': ['errors.js'],
  'check.js': ['arrays.js', 'errors.js', 'kinds.js', 'names.js'],
  engine: COMMON,
  attention: [...COMMON, 'engine'],
  theory: [...COMMON, 'engine', 'attention'],
  layers: [...COMMON, 'engine', 'attention'],
  'index.js': [...COMMON, 'engine', 'attention', 'theory', 'layers'],
  model: [...COMMON, 'engine', 'attention', 'layers', 'index.js'],
  worker: [...COMMON, 'engine', 'index.js', 'model'],
  train: [...COMMON, 'engine', 'layers', 'index.js', 'model', 'worker'],
  inline: [...COMMON, 'engine', 'index.js', 'model', 'worker'],
};

/** The name of a C file and its header together: attention/cache. */
const unitOf = (file) => file.replace(/^src\/(c\/)?/, '').replace(/\.[ch]$/, '');
const sources = files('src/c', /\.c$/);
const headers = [...files('src/c', /\.h$/), ...files('src/include', /\.h$/)];

/** Where each function that other files may call is defined. @type {Map<string, string>} */
const definedIn = new Map();
for (const file of sources)
  for (const [, name] of withoutComments(read(file)).matchAll(
    /^[A-Za-z_][\w *]*?\b(attn_\w+)\([^;{}]*\)\s*\{/gm,
  ))
    definedIn.set(name, file);

/** The headers that declare each function. @type {Map<string, string[]>} */
const declaredIn = new Map();
for (const file of headers)
  for (const [, name] of withoutComments(read(file)).matchAll(/\b(attn_\w+)\([^;{}]*\)\s*;/g))
    declaredIn.set(name, [...(declaredIn.get(name) ?? []), file]);

/** Every pair of C files of which the first includes or calls the second. */
const uses = [...sources, ...headers].flatMap((file) => {
  const names = withoutComments(read(file)).match(/\battn_\w+\b/g) ?? [];
  const called = file.endsWith('.c') ? names.map((name) => definedIn.get(name)) : [];
  const others = new Set([...includes(file), ...called].filter((other) => other && other !== file));
  return [...others].map((other) => [file, other]);
});

/** @param {[string, string][]} pairs */
function graphOf(pairs) {
  const graph = new Map(pairs.flat().map((node) => [node, new Set()]));
  for (const [from, to] of pairs) if (from !== to) graph.get(from).add(to);
  return graph;
}

/** How many levels a graph without circles has. */
function levelsOf(graph) {
  const level = (node) => 1 + Math.max(0, ...[...graph.get(node)].map(level));
  return Math.max(...[...graph.keys()].map(level));
}

const shown = (found) => found.map((circle) => circle.join(', ')).join('\n');

describe('the folders of src/c', () => {
  test('are these seven, with every C file in one of them', () => {
    const found = new Set([...sources, ...headers].map((file) => posix.dirname(unitOf(file))));
    assert.deepEqual([...found].sort(), [...Object.keys(C_FOLDERS), 'include'].sort());
  });

  test('use only those below them, by includes and by calls', () => {
    for (const [file, other] of uses) {
      const [from, to] = [file, other].map((name) => posix.dirname(unitOf(name)));
      const below = ['include', ...(C_FOLDERS[from] ?? [])];
      assert.ok(from === to || below.includes(to), `${file} uses ${other}`);
    }
  });

  test('have at most five levels and no circle', () => {
    const folders = graphOf(uses.map((pair) => pair.map((name) => posix.dirname(unitOf(name)))));
    assert.deepEqual(circles(folders), []);
    assert.ok(levelsOf(folders) <= 5, `${levelsOf(folders)} levels`);
  });
});

describe('the files of src/c', () => {
  test('use each other in one direction', () => {
    const found = circles(graphOf(uses.map((pair) => pair.map(unitOf))));
    assert.deepEqual(found, [], `circles of files:\n${shown(found)}`);
  });

  test('declare their functions in a manual, their own header or one of several files', () => {
    const ownerOf = (header) => header.replace(/h$/, 'c');
    for (const [name, file] of definedIn) {
      const places = declaredIn.get(name) ?? [];
      const isNear = (header) =>
        posix.dirname(header) === 'src/include' ||
        (posix.dirname(header) === posix.dirname(file) &&
          (ownerOf(header) === file || !sources.includes(ownerOf(header))));
      const found = places.join(', ') || 'no header';
      assert.ok(places.some(isNear), `${name} of ${file} is declared in ${found}`);
    }
  });

  test('include each other and the compiler’s own headers, and no library', () => {
    for (const file of [...sources, ...headers]) {
      const libraries = [...read(file).matchAll(/^\s*#\s*include\s*<([^>]+)>/gm)];
      for (const [, name] of libraries)
        assert.match(name, /^(stddef|stdint|stdbool|float|limits)\.h$/, file);
      for (const name of includes(file)) assert.ok(exists(name), `${file} includes ${name}`);
    }
  });

  test('leave targets to simd.h', () => {
    const wasm = '__wasm|_wasm_|wasm_simd128|emscripten';
    const native = '__SSE|__AVX|__FMA__|__ARM|__aarch64|__x86_64|__i386|immintrin|arm_neon';
    const target = new RegExp(`${wasm}|${native}`, 'i');
    for (const file of [...sources, ...headers].filter((name) => !name.endsWith('/simd.h')))
      assert.doesNotMatch(withoutComments(read(file)), target, file);
  });
});

describe('the folders of src/js', () => {
  const own = files('src/js', /\.js$/);
  /** The folder below src/js, or the file beside the folders. */
  const placeOf = (file) => file.split('/')[2];
  const all = own.flatMap((file) =>
    imports(file)
      .filter((name) => name.startsWith('src/js/'))
      .map((name) => [file, name]),
  );

  test('import only those below them', () => {
    for (const [file, other] of all) {
      const [from, to] = [file, other].map(placeOf);
      assert.ok(from === to || JS_FOLDERS[from]?.includes(to), `${file} imports ${other}`);
    }
  });

  test('have no circle, nor have the folders of a model', () => {
    // errors.js and check.js are below all folders and index.js is above some: each is its own node
    const nodeOf = (file) => (posix.dirname(file) === 'src/js' ? file : posix.dirname(file));
    const folders = circles(graphOf(all.map((pair) => pair.map(nodeOf))));
    assert.deepEqual(folders, [], shown(folders));
  });
});

test('the declarations of types in src import each other in one direction', () => {
  const pairs = files('src', /\.d\.c?ts$/).flatMap((file) =>
    typeImports(file).map((other) => [file, other]),
  );
  assert.ok(pairs.length > 40, `${pairs.length} imports were found`);
  for (const [file, other] of pairs) assert.ok(exists(other), `${file} imports ${other}`);
  const found = circles(graphOf(pairs));
  assert.deepEqual(found, [], shown(found));
});

describe('the JavaScript of every folder', () => {
  const TREES = ['src', 'web', 'bench', 'scripts', 'training', 'tests'];
  /** The tables of panels are above the panels, which use the rest of their folder. */
  const TABLES = ['web/page/panels.js', 'web/page/lab-worker.js'];
  /** Every pair of files of which the first imports the second. */
  const pairsOf = (tree, how) =>
    files(tree, /\.js$/).flatMap((file) =>
      imports(file, how)
        .filter((name) => name.endsWith('.js'))
        .map((name) => [file, name]),
    );

  test('has files that import each other in one direction', () => {
    // a file that another loads when it is needed may import that one
    const pairs = TREES.flatMap((tree) => pairsOf(tree, { dynamic: false }));
    assert.ok(new Set(pairs.flat()).size > 700, 'the files were found');
    const found = circles(graphOf(pairs));
    assert.deepEqual(found, [], shown(found));
  });

  test('of the page has panels that use those below them, and a page that uses no panel', () => {
    const nodeOf = (file) =>
      TABLES.includes(file) || posix.dirname(file) === 'web' ? file : posix.dirname(file);
    const found = circles(graphOf(pairsOf('web').map((pair) => pair.map(nodeOf))));
    assert.deepEqual(found, [], shown(found));
  });
});
