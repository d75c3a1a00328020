/**
 * Writes lib: the JavaScript of src/js and src/cli as it is published, file by file, without
 * comments and with short local names. The wasm files lie beside it. Exports and properties keep
 * their names. The types are published as they are.
 */
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Comments that bundlers read are kept by nothing else than the file as it is. */
const FOR_BUNDLERS = /webpackIgnore|@vite-ignore/;

/** Lines are short because Node prints the one that an error comes from. */
const OPTIONS = /** @type {const} */ ({
  charset: 'ascii',
  format: 'esm',
  legalComments: 'none',
  lineLimit: 500,
  minifyIdentifiers: true,
  minifySyntax: true,
  minifyWhitespace: true,
  target: 'es2022',
});

rmSync(join(root, 'lib'), { recursive: true, force: true });
for (const folder of ['js', 'cli'])
  for (const path of readdirSync(join(root, 'src', folder), {
    recursive: true,
    encoding: 'utf8',
  })) {
    const [from, to] = [join(root, 'src', folder, path), join(root, 'lib', folder, path)];
    if (!/\.(js|wasm)$/.test(path) || path.startsWith('inline')) continue;
    mkdirSync(dirname(to), { recursive: true });
    const source = readFileSync(from, 'utf8');
    if (path.endsWith('.wasm') || FOR_BUNDLERS.test(source)) cpSync(from, to);
    else writeFileSync(to, (await transform(source, OPTIONS)).code);
  }
