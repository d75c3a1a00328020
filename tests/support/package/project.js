/** A new project on this machine into which the package is installed as from a registry. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { newerNode } from '../../engines/newer-node/index.js';
import { env } from '../../engines/others/index.js';
import { root } from './repository.js';

/** The library with which models read chat templates. */
export const libraries = ['@huggingface/jinja'];

/** Without the settings of the npm that runs the tests. */
const bare = Object.fromEntries(
  Object.entries(env).filter(([key]) => !/^(npm_|FORCE_COLOR$)/i.test(key)),
);

export const nodes = [
  { name: 'this Node', path: process.execPath },
  { name: 'the newer Node', path: newerNode, missing: !newerNode },
];

/** Runs a program and returns its output; when it fails, the error has all that it printed. */
export function run(command, args, cwd) {
  try {
    return execFileSync(command, args, {
      cwd,
      env: bare,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    const called = `${command} ${args.join(' ')}`;
    throw new Error(`${called} failed: ${error.message}\n${error.stdout}\n${error.stderr}`, {
      cause: error,
    });
  }
}

/** Packs a folder with npm, and returns the report. */
function pack(folder, into) {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', into];
  const report = JSON.parse(run('npm', args, folder));
  return Array.isArray(report) ? report[0] : Object.values(report)[0];
}

/** Offline: the libraries are those that are installed here, so no registry is needed. */
export function createProject() {
  const folder = mkdtempSync(join(tmpdir(), 'clearhead-package-'));
  const packed = pack(root, folder);
  const tarballs = libraries
    .map((name) => pack(join(root, 'node_modules', name), folder))
    .concat(packed)
    .map(({ filename }) => join(folder, filename));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], folder);
  return {
    folder,
    /** Paths in the tarball. */
    paths: packed.files.map(({ path }) => path),
    write: (name, content) => writeFileSync(join(folder, name), content),
    run: (command, args) => run(command, args, folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
