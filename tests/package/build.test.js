/** The files that the build makes, with the same bytes each time, and the lines that it prints. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import v8 from 'node:v8';
import { repeats } from '../support/campaign.js';
import {
  bytes,
  exists,
  files,
  includes,
  read,
  root,
  withoutComments,
} from '../support/package/repository.js';

const VARIANTS = ['simd', 'relaxed'];
const STATEMENTS = 'src/js/theory/theory.wasm';
const headers = (pattern) => files('src', /\.h$/).filter((file) => pattern.test(file));

/** Each module, and the headers whose functions it exports. */
const modules = [
  ...VARIANTS.map((variant) => ({
    file: `src/js/engine/attn.${variant}.wasm`,
    from: ['src/include/attn.h'],
  })),
  ...VARIANTS.map((variant) => ({
    file: `src/js/engine/model.${variant}.wasm`,
    from: headers(/^(?!.*\/(theory|sensitivity|consequences))/),
  })),
  // they take their statuses from attn.h, and no function
  {
    file: STATEMENTS,
    from: ['theory', 'sensitivity', 'consequences'].map((name) => `src/include/${name}.h`),
    except: ['src/include/attn.h'],
  },
].filter(({ file }) => exists(file));

/** All that these headers and those they include declare. */
function declared(from) {
  const seen = new Set(from);
  for (const header of seen) for (const other of includes(header)) seen.add(other);
  const pattern = /^ATTN_API\b[^(]*?(\w+)\(/gm;
  return [...seen]
    .flatMap((header) => [...withoutComments(read(header)).matchAll(pattern)])
    .map(([, name]) => name);
}

function compiled(file) {
  // Node 20 knows relaxed SIMD, but behind a flag
  if (!WebAssembly.validate(bytes(file))) v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
  return new WebAssembly.Module(bytes(file));
}

describe('the compiled kernels', () => {
  const memory = { module: 'env', name: 'memory', kind: 'memory' };
  const clock = { module: 'env', name: 'now', kind: 'function' };

  for (const { file, from, except = [] } of modules) {
    const name = posix.basename(file, '.wasm');
    const imports = { attn: [memory], model: [memory, clock] }[name.split('.')[0]] ?? [];

    test(`${name} imports ${imports.map(({ name }) => name).join(', ') || 'nothing'}`, () => {
      assert.deepEqual(WebAssembly.Module.imports(compiled(file)), imports);
    });

    test(`${name} exports the functions of its headers and where memory begins`, () => {
      const places = ['memory', '__heap_base', ...(imports.length ? ['__stack_pointer'] : [])];
      const elsewhere = declared(except);
      const functions = declared(from).filter((name) => !elsewhere.includes(name));
      assert.ok(functions.length > 15, 'the declarations were found');
      const exported = WebAssembly.Module.exports(compiled(file)).map(({ name }) => name);
      assert.deepEqual(exported.sort(), [...new Set([...functions, ...places])].sort());
    });
  }
});

describe('a build in another folder', () => {
  // in a long run also the module that holds every source of attention and models
  const again = repeats([], ['model.relaxed', 'model.simd'])
    .map((name) => `src/js/engine/${name}.wasm`)
    .filter(exists)
    .slice(0, 1)
    .concat(STATEMENTS);
  let copy;
  let said;
  const start = (names) => {
    const { PATH } = process.env;
    return spawnSync('bash', [join(copy, 'scripts/build.sh'), 'wasm', ...names], {
      env: { ...process.env, PATH: `${PATH}:${join(root, '.toolchain')}` },
      encoding: 'utf8',
    });
  };
  const build = () => {
    const { status, stdout, stderr } = start(again.map((file) => posix.basename(file, '.wasm')));
    assert.equal(status, 0, `${stdout}${stderr}`);
    return stdout;
  };
  before(() => {
    copy = mkdtempSync(join(tmpdir(), 'clearhead-build-'));
    for (const path of ['CMakeLists.txt', 'scripts', 'src/c', 'src/include'])
      cpSync(join(root, path), join(copy, path), { recursive: true });
    mkdirSync(join(copy, 'src/js'));
    said = build();
  });
  after(() => rmSync(copy, { recursive: true }));

  test('gives the same bytes', () => {
    for (const file of again)
      assert.ok(readFileSync(join(copy, file)).equals(bytes(file)), `${file} differs`);
  });

  test('says once that it takes long', () => {
    const line =
      'build: the WebAssembly files of src/js; the first time this takes a minute or two';
    assert.deepEqual(said.match(/^build: .*/gm), [line]);
  });

  // npm pack builds too, and with --silent its output is the name of a file
  test('says nothing the second time, when nothing is to do', () => {
    assert.equal(build(), '');
  });

  test('fails with the compiler’s message where a source is wrong', () => {
    const source = join(copy, 'src/c/theory/limits.c');
    writeFileSync(source, `${readFileSync(source, 'utf8')}\nint wrong = nowhere;\n`);
    const { status, stdout } = start(['theory']);
    assert.notEqual(status, 0);
    assert.match(stdout, /undeclared identifier 'nowhere'/);
  });
});

describe('npm run build', () => {
  /** Runs its script with programs in the place of bash and node that end with a status. */
  const runWith = (statuses) => {
    const folder = mkdtempSync(join(tmpdir(), 'clearhead-script-'));
    try {
      for (const [name, status] of Object.entries(statuses))
        writeFileSync(join(folder, name), `#!/bin/sh\nexit ${status}\n`, { mode: 0o755 });
      const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
      const script = join(root, 'scripts/package.sh');
      return spawnSync('/bin/bash', [script], { env, encoding: 'utf8' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  test('ends with a line that says where all is', () => {
    const { stdout } = runWith({ bash: 0, node: 0 });
    assert.match(stdout, /^build: done\. .*src\/js.*lib.*dist.*\n$/);
  });

  test('does not say that it is done when a step of it fails', () => {
    const failed = [runWith({ bash: 1, node: 0 }), runWith({ bash: 0, node: 1 })];
    assert.deepEqual(
      failed.map(({ status, stdout }) => [status, stdout]),
      [
        [1, ''],
        [1, ''],
      ],
    );
  });
});
