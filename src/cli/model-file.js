import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { ClearheadError } from '../js/index.js';

/** The kinds of FILE, for the usage of the commands that take one. */
export const FILE =
  'FILE is a GGUF file, a safetensors file with config.json and\n' +
  '      tokenizer.json beside it, a folder of these, or the address of one.';

/**
 * The source for loadModel, from a path, folder or address.
 * @param {string | undefined} given
 * @returns {Promise<URL>}
 */
export async function modelAt(given) {
  if (!given)
    throw new ClearheadError(
      'ARG',
      'FILE is not given; expected a model, as in: clearhead info model.gguf',
    );
  if (/^(https?|file):/.test(given)) {
    if (!URL.canParse(given))
      throw new ClearheadError('ARG', `FILE is "${given}"; expected an address or a path`);
    return new URL(given);
  }
  const path = resolve(given);
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new ClearheadError('ARG', `FILE is "${given}"; there is no such file`);
  if (!found.isDirectory()) return pathToFileURL(path);
  const names = await readdir(path);
  const gguf = names.filter((name) => name.endsWith('.gguf'));
  const name =
    ['model.safetensors.index.json', 'model.safetensors'].find((each) => names.includes(each)) ??
    (gguf.length === 1 ? gguf[0] : undefined);
  if (!name)
    throw new ClearheadError(
      'ARG',
      `FILE is the folder "${given}" with ${gguf.length} GGUF files; ` +
        'expected model.safetensors in it, or one GGUF file',
    );
  return pathToFileURL(join(path, name));
}

/**
 * Text from a file with its control characters written out, so that it cannot command the
 * terminal.
 * @param {string} text
 */
export const harmless = (text) =>
  text.replace(/[^\P{Cc}\n\t]/gu, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** 1234567 → '1.2 MB' @param {number} bytes */
export function size(bytes) {
  const units = ['bytes', 'KB', 'MB', 'GB'];
  const at = Math.min(3, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const x = bytes / 2 ** (10 * at);
  return `${at && x < 10 ? x.toFixed(1) : x.toFixed(0)} ${units[at]}`;
}

/** 1 → '1 token', 2 → '2 tokens' @param {number} count @param {string} noun */
export const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** 134515008 → '134.5 million' @param {number} count */
export const rounded = (count) =>
  count >= 1e9
    ? `${(count / 1e9).toFixed(2)} billion`
    : count >= 1e6
      ? `${(count / 1e6).toFixed(1)} million`
      : count.toLocaleString('en');

/**
 * A line on the terminal that shows how far loading is; nothing where standard error is no
 * terminal.
 */
export function progressBar() {
  const { stderr } = process;
  const width = 24;
  const started = performance.now();
  let shown = 0;
  return {
    /** @param {{ loaded: number, total?: number }} progress */
    show({ loaded, total }) {
      const now = performance.now();
      // a model that loads in no time needs no bar, and drawing takes time as well
      if (!stderr.isTTY || now - started < 150 || now - shown < 50) return;
      shown = now;
      const done = total ? Math.floor((loaded / total) * width) : 0;
      const percent = total ? Math.floor((100 * loaded) / total) : 0;
      const bar = total ? `[${'#'.repeat(done)}${'.'.repeat(width - done)}] ${percent} %  ` : '';
      stderr.write(`\r\x1b[Kloading  ${bar}${size(loaded)}${total ? ` of ${size(total)}` : ''}`);
    },
    clear: () => void (stderr.isTTY && shown && stderr.write('\r\x1b[K')),
  };
}
