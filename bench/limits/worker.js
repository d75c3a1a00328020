/** A thread of a limit: the forms of limits.c, beside others of its kind. In a page, or in Node. */
import { finalists } from './forms.js';
import { multiplier, reading, share } from './limits.js';

let exports;
let read;

/** @param {{ run: () => any }} form @param {number} calls @returns seconds of a call */
async function time({ run }, calls) {
  const start = performance.now();
  for (let i = 0; i < calls; i++) run();
  return (performance.now() - start) / 1000 / calls;
}

/**
 * @param {{ module?: WebAssembly.Module, bytes?: number, form?: string, remaining?: Int32Array,
 *   times?: number }} message bytes: as many as this thread reads
 */
async function work({ module, bytes, form, remaining, times = 0 }, answer) {
  if (module) exports = (await WebAssembly.instantiate(module, {})).exports;
  if (bytes) [read] = await finalists(reading(exports, bytes).forms, time, 0.1);
  for (; times > 0; times--) read.run();
  answer(form ? share(multiplier(exports), form, remaining) : 0);
}

if (typeof postMessage === 'function')
  addEventListener('message', ({ data }) => work(data, postMessage));
else {
  const { parentPort: port } = await import('node:worker_threads');
  port?.on('message', (data) => work(data, (answer) => port.postMessage(answer)));
}
