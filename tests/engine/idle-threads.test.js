/** Engines with threads in programs of their own: they sleep, end and report errors. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { AT, SLEEP, countedThreads } from '../support/engine/counted-threads.js';

/** Looks at the clock after which a thread is awake, and would never sleep. */
const AWAKE = 1e6;

/** Until a thread has slept that many times more, or shows that it is awake. */
async function slept(count, times) {
  const [looks, sleeps] = count;
  while (count[AT.SLEPT] < sleeps + times && count[AT.LOOKS] < looks + AWAKE)
    await new Promise((later) => setTimeout(later, 10));
}

/** Milliseconds after which a program that has not ended never will, on any machine. */
const NEVER = 120000;

/** The address of the package, for programs of their own. */
const entry = JSON.stringify(new URL('../../src/js/index.js', import.meta.url).href);

test('threads that have nothing to do sleep, and look at the clock once a sleep', async () => {
  const { engine, counts } = await countedThreads(() => init({ threads: 3, variant: 'simd' }));
  const x = engine.tensor([12 * 300 * 64]);
  for (let times = 0; times < 20; times++) engine.attention(x, x, x, { heads: 12, headDim: 64 });
  assert.equal(engine.info.threads, 3);
  for (const count of counts) await slept(count, 1);

  const before = counts.map((count) => [...count]);
  for (const count of counts) await slept(count, 5);

  for (const [index, { [AT.LOOKS]: looks, [AT.SLEPT]: sleeps, [AT.SHORT]: short }] of [
    ...counts,
  ].entries()) {
    const [looksBefore, sleepsBefore] = before[index];
    const looked = looks - looksBefore;
    // the last look of the second count may come before its sleep has ended
    assert.ok(looked <= sleeps - sleepsBefore + 1, `thread ${index} looked ${looked} times`);
    assert.equal(short, 0, `thread ${index} asked for sleeps below ${SLEEP} ms`);
  }
  engine.dispose();
});

test('a program with threads ends when it has nothing left to do', () => {
  const code = `import { init } from ${entry};
    const { threads, why } = (await init({ threads: 2, variant: 'simd' })).info;
    console.log(threads, why);`;
  assert.equal(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
      timeout: NEVER,
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
