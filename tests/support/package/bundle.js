/** Bundles as other projects make them without settings. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './repository.js';

/**
 * A classic script of a module that defines `clearhead`, with its text as minifiers leave it that
 * write characters outside ASCII as they are.
 * @param {string} contents a module of the folder src/js
 * @param {import('esbuild').BuildOptions} [options]
 */
export async function classicScript(contents, options = {}) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    bundle: true,
    charset: 'utf8',
    external: ['@huggingface/*'],
    format: 'iife',
    globalName: 'clearhead',
    logLevel: 'silent',
    minify: true,
    stdin: { contents, resolveDir: join(root, 'src/js') },
    write: false,
    ...options,
  });
  return outputFiles[0].contents;
}

/** What a page reads that tells no charset. @param {Uint8Array} script */
export const readWithoutCharset = (script) => new TextDecoder('windows-1252').decode(script);
