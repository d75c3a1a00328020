/** An instance of a wasm file. Its memory comes from outside, so that threads may share it. */
import { ClearheadError } from '../errors.js';

/** Memory with the largest maximum that the engine allows. @param {boolean} shared */
export function createMemory(shared) {
  for (const maximum of [65536, 32768, 16384, 4096])
    try {
      return new WebAssembly.Memory({ initial: 16, maximum, shared });
    } catch {
      // a smaller one may be had
    }
  throw new ClearheadError('OOM', `no ${shared ? 'shared ' : ''}memory left`);
}

/** @param {WebAssembly.Module} module @param {WebAssembly.Memory} memory */
export const instantiate = async (module, memory) =>
  (await WebAssembly.instantiate(module, { env: { memory, now: () => performance.now() } }))
    .exports;
