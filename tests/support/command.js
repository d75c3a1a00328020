/** The command on a tiny model, run as a program of its own or in this process. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { asGguf, configs, tiny } from './models/random-models.js';

export const folder = mkdtempSync(join(tmpdir(), 'clearhead-cli-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
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

/** Takes the place of a stream of the process, and keeps the text. */
class Kept extends Writable {
  text = '';

  constructor() {
    super({ decodeStrings: false });
  }

  _write(chunk, _encoding, done) {
    this.text += chunk;
    done();
  }
}

let calls = 0;

/**
 * The same as `run` in this process, with the modules that it has already. A program takes ten
 * times as long to start as most calls take.
 */
export async function runHere(...args) {
  const [stdout, stderr] = [new Kept(), new Kept()];
  const { argv, exitCode } = process;
  const { log, error } = console;
  const streams = ['stdout', 'stderr'].map((name) => [
    name,
    Object.getOwnPropertyDescriptor(process, name),
  ]);
  process.argv = [process.execPath, command, ...args];
  Object.defineProperty(process, 'stdout', { configurable: true, value: stdout });
  Object.defineProperty(process, 'stderr', { configurable: true, value: stderr });
  console.log = (...words) => void stdout.write(`${format(...words)}\n`);
  console.error = (...words) => void stderr.write(`${format(...words)}\n`);
  try {
    await import(`${pathToFileURL(command).href}?call=${++calls}`);
    return { status: process.exitCode, stdout: stdout.text, stderr: stderr.text };
  } finally {
    Object.assign(console, { log, error });
    for (const [name, stream] of streams) Object.defineProperty(process, name, stream);
    Object.assign(process, { argv, exitCode });
  }
}
