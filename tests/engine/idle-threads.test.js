/** Engines with threads in programs of their own: they sleep, end and report errors. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** The address of the package, for programs of their own. */
const entry = JSON.stringify(new URL('../../src/js/index.js', import.meta.url).href);

test('threads that have nothing to do sleep', () => {
  // by itself, for other tests leave engines behind
  const program = `import { init } from ${entry};
    const ch = await init({ threads: 3, variant: 'simd' }), x = ch.tensor([12 * 300 * 64]);
    for (let times = 0; times < 20; times++) ch.attention(x, x, x, { heads: 12, headDim: 64 });
    await new Promise((done) => setTimeout(done, 200));
    const before = process.cpuUsage();
    await new Promise((done) => setTimeout(done, 1000));
    const { user, system } = process.cpuUsage(before);
    console.log(ch.info.threads, (user + system) / 1000);`;
  const [threads, milliseconds] = execFileSync(
    process.execPath,
    ['--input-type=module', '-e', program],
    { encoding: 'utf8', env: { ...process.env, FORCE_COLOR: '0' } },
  )
    .split(' ')
    .map(Number);
  assert.equal(threads, 3);
  assert.ok(milliseconds < 300, `${milliseconds} ms of a second`);
});

test('a program with threads ends when it has nothing left to do', () => {
  const code = `import { init } from ${entry};
    const { threads, why } = (await init({ threads: 2, variant: 'simd' })).info;
    console.log(threads, why);`;
  assert.equal(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
      timeout: 8000,
    }),
    '2 \n',
  );
});

test('a file that fails to arrive is an error of init and of nothing else', () => {
  const program = `import { init } from ${entry};
    for (const layers of [false, true])
      await init({ layers, wasm: Promise.reject(new Error('gone')) })
        .catch(({ message }) => console.log(message));`;
  assert.equal(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '0' },
    }),
    'gone\ngone\n',
  );
});
