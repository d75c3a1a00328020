/**
 * Builds the larger simd module, which has all statements, from sources that are wrong in one
 * place. The commands are those of the build itself, asked from ninja; what the change does not
 * reach is linked as it was built.
 */
import assert from 'node:assert/strict';
import { execFileSync, execSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = join(root, 'src/c');
const build = join(root, 'build/wasm');
const commands = execFileSync('ninja', ['-C', build, '-t', 'commands', 'model.simd.wasm'], {
  encoding: 'utf8',
}).split('\n');

/** The C files, as paths from their folder. */
const files = readdirSync(sources, { recursive: true }).filter((name) => /\.[ch]$/.test(name));

/** The .c files that a file is part of. */
function reached(file) {
  const found = (header, beside) =>
    [posix.join(posix.dirname(beside), header), header, `include/${header}`].find((name) =>
      files.includes(name),
    );
  const includes = (name) =>
    [...readFileSync(join(sources, name), 'utf8').matchAll(/#include "([\w/]+\.h)"/g)].map(
      ([, header]) => found(header, name),
    );
  const parts = (name) =>
    new Set([name, ...includes(name).flatMap((header) => [...parts(header)])]);
  return files.filter((name) => name.endsWith('.c') && parts(name).has(file));
}

/** The module in which `from`, which stands in `file` once, is `to`; as bytes, sealed. */
export function mutant(file, from, to) {
  const folder = mkdtempSync(join(tmpdir(), 'clearhead-mutant-'));
  try {
    cpSync(sources, folder, { recursive: true });
    const text = readFileSync(join(folder, file), 'utf8');
    assert.equal(text.split(from).length, 2, `${file} has one “${from}”`);
    writeFileSync(
      join(folder, file),
      text.replace(from, () => to),
    );
    let link = commands
      .find((line) => line.includes('--no-entry'))
      .split(' -o ')[0]
      .replace(/^.*?&& /, '');
    const changed = reached(file);
    assert.ok(changed.length > 0, `${file} is part of the build`);
    for (const name of changed) {
      const compile = commands.find((line) => line.endsWith(`/${name}`));
      const object = join(folder, `${name}.o`);
      // what is wrong may leave a variable unused
      execSync(
        compile
          .replaceAll(sources, folder)
          .replace(/ -MD .*$/, ` -w -o ${object} -c ${join(folder, name)}`),
        { cwd: build },
      );
      link = link.replace(new RegExp(`\\S+/${name.replace('.', '\\.')}\\.obj`), object);
    }
    const wasm = join(folder, 'model.wasm');
    execSync(`${link} -o ${wasm}`, { cwd: build });
    execFileSync(process.execPath, [join(root, 'scripts/seal.js'), wasm]);
    return readFileSync(wasm);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
