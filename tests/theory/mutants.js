/**
 * Builds the kernels of the larger simd module and the statements from sources that are wrong in
 * some places. The commands are those of the build itself, asked from ninja. Objects that no change
 * reaches are linked as they were built.
 */
import assert from 'node:assert/strict';
import { execFileSync, execSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = join(root, 'src');
const build = join(root, 'build/wasm');
/** The commands that build a module. */
const commandsOf = (module) =>
  execFileSync('ninja', ['-C', build, '-t', 'commands', module], { encoding: 'utf8' }).split('\n');
/** The modules, by the options of init that take them. */
const MODULES = {
  wasm: commandsOf('model.simd.wasm'),
  theoryWasm: commandsOf('theory.wasm'),
};

/** The C files, as paths from src. */
const files = readdirSync(sources, { recursive: true }).filter((name) => /\.[ch]$/.test(name));

/**
 * Compiles a source in `folder` as `command` of the build does, but optimises little: the bits do
 * not depend on it, and the time does.
 */
function compile(command, folder, name) {
  const source = join(folder, name);
  const there = command.replace(/ -MD .*$/, '').replaceAll(`${sources}/`, `${folder}/`);
  // a wrong source may leave a variable unused
  execSync(`${there} -O1 -w -o ${source}.o -c ${source}`, { cwd: build });
  return `${source}.o`;
}

/** The .c files that a file is part of. */
function reached(file) {
  const found = (header, beside) =>
    [posix.join(posix.dirname(beside), header), `c/${header}`, `include/${header}`].find((name) =>
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

/**
 * The module that `commands` build from the sources in `folder`, sealed. Undefined where it has no
 * part of the files that changed.
 */
function linked(commands, folder, changed) {
  const compileOf = (name) => commands.find((line) => line.endsWith(`/${name}`));
  const again = changed.filter(compileOf);
  if (!again.length) return undefined;
  let link = commands
    .find((line) => line.includes('--no-entry'))
    .split(' -o ')[0]
    .replace(/^.*?&& /, '');
  for (const name of again) {
    const object = compile(compileOf(name), folder, name);
    link = link.replace(new RegExp(`\\S+/${name.replace('.', '\\.')}\\.obj`), object);
  }
  const wasm = join(folder, 'mutant.wasm');
  execSync(`${link} -o ${wasm}`, { cwd: build });
  execFileSync(process.execPath, [join(root, 'scripts/seal.js'), wasm]);
  return readFileSync(wasm);
}

/**
 * The modules that some changes reach, as options of init.
 * @param {{ file: string, from: string, to: string }[]} changes `from` stands once in `file`, a
 *   path from src/c
 */
export function mutant(changes) {
  const folder = mkdtempSync(join(tmpdir(), 'clearhead-mutant-'));
  try {
    for (const part of ['c', 'include'])
      cpSync(join(sources, part), join(folder, part), { recursive: true });
    for (const { file, from, to } of changes) {
      const path = join(folder, 'c', file);
      const text = readFileSync(path, 'utf8');
      assert.equal(text.split(from).length, 2, `${file} has one “${from}”`);
      writeFileSync(
        path,
        text.replace(from, () => to),
      );
    }
    const changed = [...new Set(changes.flatMap(({ file }) => reached(`c/${file}`)))];
    const built = Object.entries(MODULES).map(([option, commands]) => [
      option,
      linked(commands, folder, changed),
    ]);
    const modules = Object.fromEntries(built.filter(([, bytes]) => bytes));
    assert.ok(Object.keys(modules).length > 0, 'the changes are part of the build');
    return modules;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
