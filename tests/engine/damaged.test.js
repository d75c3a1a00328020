/** Damaged wasm files are refused, whichever byte is changed or missing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { engines } from '../support/engines.js';
import { init } from '../../src/js/index.js';
import { good, shape } from '../support/faults.js';
import { bytes, copy } from '../support/engine/loading.js';

/**
 * Loads the kernels with one bit flipped at each place and tells what happened; in a thread,
 * because a flipped branch may never end.
 */
const judge = `
  const { parentPort, workerData: { places, start } } = require('worker_threads');
  (async () => {
    const { init, ClearheadError } = await import(workerData.index);
    const { sameBits } = await import(workerData.bits);
    for (let x = start; x < places.length; x++) {
      parentPort.postMessage({ x });
      const wasm = workerData.bytes.slice();
      wasm[places[x] >> 3] ^= 1 << (places[x] & 7);
      let verdict = 'harmless';
      try {
        const ch = await init({ wasm });
        for (const [call, expected] of workerData.calls) sameBits(ch.attention(...call), expected);
      } catch (error) { verdict = error instanceof ClearheadError ? 'caught' : 'wrong'; }
      parentPort.postMessage({ x, verdict });
    }
  })();`
  .replace('workerData: { places, start }', 'workerData')
  .replace('(async () =>', 'const { places, start } = workerData;\n  (async () =>');

/** Milliseconds of silence after which the worker's work is compared with the same work here. */
const SILENCE = 1000;
/** How often that work is done here while a worker at one place is silent. It is then endless. */
const TIMES = 200;

/** Whether a worker stays silent while sound kernels are loaded and called here, TIMES times. */
async function staysSilent(isSilent, calls) {
  for (let times = 0; times < TIMES && isSilent(); times++) {
    const ch = await init({ wasm: copy() });
    for (const [call] of calls) ch.attention(...call);
    ch.dispose();
    await new Promise((later) => setImmediate(later)); // its messages arrive
  }
  return isSilent();
}

/** The calls whose results must not change: one in float32, and the same in float64. */
function callsAndResults() {
  const want = { weights: true, lse: true, stats: true };
  const float32 = [good.q, good.k, good.v, { ...shape, causal: true, softcap: 3, want }];
  const float64 = float32.map((a) => (a instanceof Float32Array ? Float64Array.from(a) : a));
  return [float32, float64].map((call) => [call, engines[0].ch.attention(...call)]);
}

/**
 * Judges the places from `start` on in a worker, until the last or until one is endless. Writes
 * each verdict into `verdicts`, and gives the place to go on from.
 */
async function judged(places, start, calls, verdicts) {
  const worker = new Worker(judge, {
    eval: true,
    workerData: {
      places,
      start,
      bytes: copy(),
      calls,
      index: new URL('../../src/js/index.js', import.meta.url).href,
      bits: new URL('../support/bits.js', import.meta.url).href,
    },
  });
  let clock;
  try {
    return await new Promise((done, fail) => {
      let messages = 0;
      worker.on('message', ({ x, verdict }) => {
        const count = ++messages;
        clearTimeout(clock);
        clock = setTimeout(async () => {
          if (!(await staysSilent(() => messages === count, calls).catch(fail))) return;
          verdicts[x] ??= 'endless';
          done(x + 1);
        }, SILENCE);
        if (verdict) verdicts[x] = verdict;
        if (verdict && x === places.length - 1) done(places.length);
      });
      worker.on('error', fail);
    });
  } finally {
    clearTimeout(clock);
    await worker.terminate();
  }
}

test('a bit flipped anywhere is noticed at load or harmless', async (t) => {
  const count = 400;
  const places = Array.from(
    { length: count },
    (_, x) => Math.floor(((x + 0.37) * bytes.length * 8) / count) + (x % 8),
  );
  const calls = callsAndResults();
  const verdicts = Array(count);
  for (let start = 0; start < count;) start = await judged(places, start, calls, verdicts);
  const of = (verdict) => places.filter((_, x) => verdicts[x] === verdict);
  const [caught, harmless] = [of('caught').length, of('harmless').length];
  t.diagnostic(`${count} flips: ${caught} caught, ${harmless} harmless`);
  assert.deepEqual({ wrong: of('wrong'), endless: of('endless') }, { wrong: [], endless: [] });
  assert.equal(caught + harmless, count);
});
