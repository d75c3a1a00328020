/** Damaged wasm files are refused, whichever byte is changed or missing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { engines } from '../support/engines.js';
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

test(
  'C15: one bit flipped anywhere is caught at load or harmless',
  { timeout: 120000 },
  async (t) => {
    const count = 400;
    const places = Array.from(
      { length: count },
      (_, x) => Math.floor(((x + 0.37) * bytes.length * 8) / count) + (x % 8),
    );
    const tally = { caught: 0, harmless: 0, wrong: 0, endless: 0 };
    const wrong = [];
    const one = [
      good.q,
      good.k,
      good.v,
      { ...shape, causal: true, softcap: 3, want: { weights: true, lse: true, stats: true } },
    ];
    const float64 = one.map((a) => (a instanceof Float32Array ? Float64Array.from(a) : a));
    const calls = [one, float64].map((call) => [call, engines[0].ch.attention(...call)]);
    for (let start = 0; start < count;) {
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
      start = await new Promise((done, fail) => {
        let at = start;
        let clock;
        const watch = () => {
          clearTimeout(clock);
          clock = setTimeout(() => {
            tally.endless++;
            wrong.push(places[at]);
            done(at + 1);
          }, 5000);
        };
        worker.on('message', ({ x, verdict }) => {
          watch();
          at = x;
          if (!verdict) return;
          tally[verdict]++;
          if (verdict === 'wrong') wrong.push(places[x]);
          if (x === count - 1) done(count);
        });
        worker.on('error', fail);
        worker.on('exit', () => clearTimeout(clock));
      });
      await worker.terminate();
    }
    t.diagnostic(`${count} flips: ${JSON.stringify(tally)}`);
    assert.deepEqual(
      [tally.wrong, tally.endless],
      [0, 0],
      `flipping bit ${wrong.slice(0, 10)} is neither caught nor harmless`,
    );
  },
);
