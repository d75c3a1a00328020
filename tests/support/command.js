/** The command, run as a program of its own on a tiny model. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { asGguf, configs, tiny } from './models/random-models.js';

export const folder = mkdtempSync(join(tmpdir(), 'clearhead-cli-'));
after(() => rmSync(folder, { recursive: true }));
export const source = tiny(configs['llama, tied, grouped']);
export const gguf = asGguf(source);
export const file = join(folder, 'tiny.gguf');
writeFileSync(file, gguf);
export const command = fileURLToPath(new URL('../../src/cli/clearhead.js', import.meta.url));
export const run = (...args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};
