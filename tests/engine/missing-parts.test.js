/** JS engines that lack a part of the language: each runs in a process of its own. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const at = (path) => JSON.stringify(String(new URL(`src/js/${path}`, root)));

/** The output of a program, and its status. */
function run(...values) {
  const { stdout, stderr, status } = spawnSync(process.execPath, values, { encoding: 'utf8' });
  return { stdout, stderr, status };
}

/** The same of a module. */
const runModule = (code, ...flags) => run(...flags, '--input-type=module', '-e', code);

test('attention, caches and threads work without FinalizationRegistry and WeakRef', () => {
  const { stdout, stderr } = runModule(`
    delete globalThis.FinalizationRegistry;
    delete globalThis.WeakRef;
    const { init } = await import(${at('index.js')});
    const ch = await init({ threads: 2 });
    const x = ch.tensor([1]);
    x.data[0] = 1;
    const cache = ch.kvCache({ headDim: 1, capacity: 1 });
    cache.append(x, x);
    console.log(ch.attend(x, cache).output[0], ch.info.threads);
    cache.dispose();
    x.dispose();
    ch.dispose();
  `);
  assert.equal(stdout, '1 2\n', stderr);
});

const REFUSED = 'ClearheadError ENV there is no WebAssembly here';

for (const [how, prepare, flags] of [
  ['switched off', '', ['--jitless']],
  ['removed', 'delete globalThis.WebAssembly;', []],
])
  test(`WebAssembly ${how} is said by every entry`, () => {
    const { stdout, stderr } = runModule(
      `${prepare}
      const { init } = await import(${at('index.js')});
      const { loadModel } = await import(${at('model/index.js')});
      const bytes = new Uint8Array(8);
      for (const enter of [
        () => init(),
        () => init({ wasm: bytes, variant: 'simd' }),
        () => init({ threads: 2, layers: true }),
        () => loadModel(bytes),
      ])
        await enter().catch(({ name, code, message }) => console.log(name, code, message));`,
      ...flags,
    );
    const lines = stdout.trim().split('\n');
    assert.equal(lines.length, 4, stderr);
    for (const line of lines) assert.ok(line.startsWith(REFUSED), line);
  });

test('WebAssembly switched off is said by workers and the command', () => {
  const { stdout, stderr } = runModule(
    `const { init, loadModel } = await import(${at('worker/client.js')});
    for (const enter of [init, () => loadModel(new Uint8Array(8))])
      await enter().catch(({ name, code, message }) => console.log(name, code, message));`,
    '--jitless',
  );
  const lines = stdout.trim().split('\n');
  assert.equal(lines.length, 2, stderr);
  for (const line of lines) assert.ok(line.startsWith(REFUSED), line);
  const command = run('--jitless', fileURLToPath(new URL('src/cli/clearhead.js', root)), 'check');
  assert.match(command.stderr, /there is no WebAssembly here/);
  assert.doesNotMatch(command.stderr, /^\s+at /m);
  assert.notEqual(command.status, 0);
});
