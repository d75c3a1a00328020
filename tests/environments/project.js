/** A folder for one environment, with the packed package and the environment's own packages. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { tinyGguf } from '../support/models/tiny-models.js';
import { root } from '../support/package/repository.js';

const { devDependencies } = JSON.parse(
  readFileSync(new URL('package.json', import.meta.url), 'utf8'),
);
const env = Object.fromEntries(
  Object.entries({ ...process.env, NO_COLOR: '1', CI: '1', NEXT_TELEMETRY_DISABLED: '1' }).filter(
    ([key]) => !/^(npm_|FORCE_COLOR$|NODE_)/i.test(key),
  ),
);

/** Runs a program and returns its output; when it fails, the error has all that it printed. */
export async function run(command, args, cwd, more = {}) {
  try {
    const options = { cwd, env: { ...env, ...more }, encoding: 'utf8', timeout: 300e3 };
    const { stdout, stderr } = await promisify(execFile)(command, args, options);
    return stdout + stderr;
  } catch (error) {
    const said = `${error.stdout ?? ''}\n${error.stderr ?? ''}`.trim();
    throw new Error(`${command} ${args.join(' ')}: ${said || error.message}`, { cause: error });
  }
}

/** The argument of npm install for a package, which package.json may have by another name. */
const pinned = (name) => {
  const version = devDependencies[name];
  return version.startsWith('npm:') ? version.slice(4) : `${name}@${version}`;
};

/** Packs the package as it is published, once. */
export async function packed() {
  const folder = mkdtempSync(join(tmpdir(), 'clearhead-packed-'));
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const report = JSON.parse((await run('npm', args, root)).replace(/^[^[{]*/, ''));
  const [{ filename }] = Array.isArray(report) ? report : Object.values(report);
  return { tarball: join(folder, filename), remove: () => rmSync(folder, { recursive: true }) };
}

/** A module that exports the bytes of a tiny model. */
const MODEL = `const text = '${Buffer.from(tinyGguf()).toString('base64')}';
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
export function bytes() {
  const bits = Array.from(text.replace(/=+$/, ''), (c) => digits.indexOf(c));
  const bytes = new Uint8Array(Math.floor((bits.length * 3) / 4));
  bytes.forEach((_, i) => {
    const at = Math.floor((i * 4) / 3);
    bytes[i] = ((bits[at] << (2 + 2 * (i % 3))) | (bits[at + 1] >> (4 - 2 * (i % 3)))) & 255;
  });
  return bytes;
}
`;

/**
 * @param {string} tarball
 * @param {readonly string[]} packages names in package.json
 */
export async function createProject(tarball, packages) {
  const folder = mkdtempSync(join(tmpdir(), 'clearhead-environment-'));
  const write = (name, content) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  };
  write('package.json', '{ "private": true, "type": "module" }');
  write('model.js', MODEL);
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await run('npm', [...install, tarball, ...packages.map(pinned)], folder);
  return {
    folder,
    tarball,
    write,
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    run: (command, args = [], more = {}) => run(command, args, folder, more),
    /** A program of an installed package. */
    bin: (name, args = [], more = {}) =>
      run(join(folder, 'node_modules/.bin', name), args, folder, more),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
