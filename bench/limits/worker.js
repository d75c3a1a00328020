/** A thread of a limit: the loops of limits.c, beside others of its kind. In a page, or in Node. */
import { reading } from './limits.js';

let exports;
let read;

async function work({ module, share, steps, times }, answer) {
  if (module) exports = (await WebAssembly.instantiate(module, {})).exports;
  if (share) read = reading(exports, share);
  for (; times > 0; times--) read.run();
  answer(steps ? exports.limit_madd(steps) : 0);
}

if (typeof postMessage === 'function')
  addEventListener('message', ({ data }) => work(data, postMessage));
else {
  const { parentPort: port } = await import('node:worker_threads');
  port?.on('message', (data) => work(data, (answer) => port.postMessage(answer)));
}
