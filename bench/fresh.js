/** Measurements that need a fresh process or page each time: cold start and memory. */
import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { reason } from './side.js';
import { spread } from './spread.js';

export const PEERS = {
  ours: 'clearhead',
  naive: 'naive JS',
  onnx: 'onnxruntime Attention',
  tfjs: 'tfjs',
  jax: 'jax-js',
  litert: 'LiteRT.js',
};

const child = fileURLToPath(new URL('./child.js', import.meta.url));

/** The last line that a child prints. */
async function ask(...args) {
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--expose-gc', child, ...args],
      { timeout: 60000 },
    );
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  } catch (error) {
    return { why: error.killed ? 'took longer than a minute' : reason(error) };
  }
}

/** The same in a page without history, or why not. */
async function askPage(browser, mode, peer, id, versions) {
  if (!browser.page) return { why: browser.why };
  const page = await browser.page();
  try {
    return await page.call(mode, peer, id, { versions });
  } catch (error) {
    return { why: reason(error) };
  } finally {
    await page.close();
  }
}

/**
 * Milliseconds of import, init and first attention, each time in a fresh process or page. All take
 * turns.
 */
export async function coldStarts(browser, engine, { id, times, versions }) {
  const rows = Object.entries(PEERS).flatMap(([peer, name]) => [
    ...(peer === 'litert' ? [] : [{ name, engine, ask: () => ask('cold', peer, id) }]),
    ...(peer === 'litert' || peer === 'ours'
      ? [{ name, engine: browser.name, ask: () => askPage(browser, 'cold', peer, id, versions) }]
      : []),
  ]);
  const answers = rows.map(() => []);
  for (let time = 0; time < times; time++)
    for (const [at, row] of rows.entries()) answers[at].push(await row.ask());
  return rows.map(({ name, engine: where }, at) => {
    const why = answers[at].find((answer) => answer.why)?.why;
    return {
      name,
      engine: where,
      ...(why
        ? { why }
        : {
            milliseconds: spread(
              answers[at].map((answer) => answer.milliseconds),
              false,
            ),
          }),
    };
  });
}

/** Memory beyond inputs and output, one process (or page) for each. Bytes. */
export async function memories(browser, engine, { ids, versions }) {
  const rows = [];
  for (const id of ids)
    for (const [peer, name] of Object.entries(PEERS)) {
      const inPage = peer === 'litert';
      const slow = peer === 'naive' && id.includes('8192');
      const answer = slow
        ? { why: 'needs one row of scores; too slow to show it' }
        : inPage
          ? await askPage(browser, 'memory', peer, id, versions)
          : await ask('memory', peer, id);
      rows.push({ id, name, engine: inPage ? browser.name : engine, ...answer });
    }
  return rows;
}
