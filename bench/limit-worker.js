/** A thread of a limit: the loops of limits.c, beside others of its kind. */
import { reading } from './limits.js';

let exports, read;

addEventListener('message', async ({ data: { module, share, steps, times } }) => {
  if (module) exports = (await WebAssembly.instantiate(module, {})).exports;
  if (share) read = reading(exports, share);
  for (; times > 0; times--) read.run();
  postMessage(steps ? exports.limit_madd(steps) : 0);
});
