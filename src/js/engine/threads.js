/** Starts the threads of an engine. */
import { ClearheadError } from '../errors.js';
import { isModule } from './load.js';
import { Pool } from './pool.js';
import { spawnThread } from './spawn-thread.js';

/** The import of a memory that is not shared, up to the flags of its limits (scripts/seal.js). */
const IMPORT = '\x03env\x06memory\x02\x01';
/** Flags of a memory that is shared and has a maximum. */
const SHARED = 3;

/**
 * A wasm file that imports a shared memory. One byte makes the difference.
 * @param {Uint8Array<ArrayBuffer>} file
 */
export function forThreads(file) {
  const copy = file.slice();
  // the import is near the start
  const at = String.fromCharCode(...copy.subarray(0, 4096)).indexOf(IMPORT);
  // threads that do not share memory would be waited for
  if (at < 0)
    throw new ClearheadError(
      'FORMAT',
      'wasm is another file or version; expected attn.*.wasm or model.*.wasm of this version',
    );
  copy[at + IMPORT.length - 1] = SHARED;
  return copy;
}

/**
 * Throws a ClearheadError that says why threads cannot share a memory, where they cannot.
 * @param {unknown} source of the wasm file, if it was given
 */
export function checkShares(source) {
  if (typeof SharedArrayBuffer === 'undefined' || globalThis.crossOriginIsolated === false)
    throw new ClearheadError(
      'ENV',
      'threads need a cross-origin isolated page (headers COOP: same-origin, COEP: require-corp)',
    );
  if (isModule(source))
    throw new ClearheadError(
      'ENV',
      'threads need the bytes of the wasm file or its address, not a compiled module',
    );
}

/**
 * Starts threads that help with the calls on a memory. The calling thread takes part and waits by
 * watching, never blocks; so it may be a page's main thread.
 * @param {import('./memory.js').Memory} memory
 * @param {{ module: WebAssembly.Module, memory: WebAssembly.Memory }} instance its module, and
 *   the memory that they share
 * @param {number} threads with the calling one
 * @param {() => object} [spawn] makes a worker of thread.js
 */
export async function startThreads(memory, instance, threads, spawn = spawnThread) {
  const pool = new Pool(memory, spawn);
  await Promise.all(
    Array.from({ length: threads - 1 }, (_, index) => pool.add({ ...instance, index })),
  );
  if (!pool.workers.length) pool.trouble = `one thread: no worker started: ${pool.trouble}`;
  memory.pool = pool;
}
