/** The files that are published. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import process from 'node:process';
import { before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { buildSync } from 'esbuild';
import { KB, withinBudget } from '../support/package/budget.js';
import { exists, read, root, withoutAddress, withoutCode } from '../support/package/repository.js';

describe('the published package', () => {
  /** @type {{ unpackedSize: number, files: { path: string, size: number }[] }} */
  let packed;
  before(() => {
    const args = ['pack', '--ignore-scripts', '--dry-run', '--json'];
    const report = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }));
    [packed] = Object.values(report);
  });

  // its parts: tuning.md#package-size
  test('has at most 1780 KB, unpacked', (t) => {
    withinBudget(t, 'unpacked', packed.unpackedSize, 1780 * KB);
  });

  test('has no C, no page, no pictures, no tests and no benches', () => {
    const paths = packed.files.map(({ path }) => path);
    assert.ok(paths.includes('dist/clearhead.js'), 'the files were listed');
    assert.deepEqual(
      paths.filter((path) =>
        /^(src\/c|web|tests|bench|scripts|build)\/|\.(c|h|html|css|svg|png|jpe?g|gif|webp)$/.test(
          path,
        ),
      ),
      [],
    );
  });

  test('has the documents that its code names, unless it says where they are', () => {
    const paths = packed.files.map(({ path }) => path);
    const code = paths.filter((path) => /^(lib|dist)\/.*js$/.test(path));
    const named = code.flatMap((path) =>
      [...read(path).matchAll(/docs\/[\w-]+\.md(?! of the repository)/g)].map(([name]) => name),
    );
    assert.ok(named.length > 0);
    for (const name of named) assert.ok(paths.includes(name), name);
  });

  test('has no dead link: other files of the repository are named by their addresses', () => {
    const paths = packed.files.map(({ path }) => path);
    const links = paths
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => [...withoutCode(read(path)).matchAll(/\]\(([^)\s]+)\)/g)])
      .map(([, link]) => link);
    const named = paths
      .filter((path) => /\.d\.c?ts$/.test(path))
      .flatMap((path) => [...read(path).matchAll(/[\w./:-]+\.(?:md|h|c)\b/g)])
      .map(([name]) => name);
    assert.ok(links.length > 20 && named.length > 5, `${links.length}, ${named.length}`);
    for (const link of [...links, ...named]) {
      const [target] = withoutAddress(link).split('#');
      if (/^https?:/.test(target)) continue;
      assert.ok(target === link.split('#')[0] ? paths.includes(target) : exists(target), link);
    }
  });

  test('has the files of each variant once', () => {
    const kernels = packed.files.filter(({ path }) => path.endsWith('.wasm'));
    assert.deepEqual(kernels.map(({ path }) => path).sort(), [
      ...['attn.relaxed', 'attn.simd', 'model.relaxed', 'model.simd'].map(
        (name) => `lib/js/engine/${name}.wasm`,
      ),
      'lib/js/theory/theory.wasm',
    ]);
  });
});

test('consoles show the objects under the names of their kinds', async () => {
  const { init } = await import(`${root}lib/js/index.js`);
  const ch = await init({ layers: true });
  assert.match(inspect(ch.tensor([2])), /^tensor \{ shape: /);
  assert.match(inspect(ch.kvCache({ headDim: 2, capacity: 2 })), /^KV cache \{/);
  assert.match(inspect(ch.linear(new Float32Array(2), { inputs: 2 })), /^linear layer \{/);
});

test('an error that nobody catches has its name, also where classes have short names', () => {
  const contents = "import { refuse } from './src/js/errors.js'; refuse('ARG', 'x', 1, '2');";
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
  });
  const { text } = outputFiles[0];
  assert.doesNotMatch(text, /class ClearheadError|ClearheadError=class/);
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', text], {
    encoding: 'utf8',
  });
  assert.match(stderr, /^ClearheadError: x is 1; expected 2$/m);
  assert.doesNotMatch(stderr, /\[ClearheadError\]/);
});

describe('an error that nobody catches shows no more than a few lines of code', () => {
  const ATTENTION = '(await init()).attention(1)';
  const MODEL = 'await loadModel(new Uint8Array(9))';
  for (const [entry, call, message] of [
    ['lib/js/model/index.js', MODEL, /^ClearheadError: weights, byte 0:/m],
    ['dist/clearhead.js', ATTENTION, /^ClearheadError: q is 1;/m],
    ['dist/clearhead-model.js', MODEL, /^ClearheadError: weights, byte 0:/m],
  ])
    test(entry, () => {
      const code = `import * as all from './${entry}'; const { init, loadModel } = all;`;
      const args = ['--input-type=module', '-e', code + call];
      const { stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
      assert.match(stderr, message);
      assert.ok(stderr.length < 2 * KB, `${stderr.length} bytes`);
    });
});
