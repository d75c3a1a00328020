/** Starts an engine with threads. */
import { ClearheadError } from '../errors.js';
import { sharedAttentionFile, sharedModelFile, spawnThread } from './files.js';
import { compile } from './load.js';
import { Memory } from './memory.js';
import { Pool } from './pool.js';

/**
 * A memory that threads share, and threads that help with the calls on it. The calling thread takes
 * part and waits by watching, never blocks; so it may be a page's main thread. Throws a
 * ClearheadError that says why there can be no threads; but a shared file that was given needs its
 * memory all the same, and one thread then has it.
 * @param {WebAssembly.Module | undefined} given
 * @param {boolean} relaxed which variant otherwise
 * @param {number} threads with the calling one
 * @param {{ layers: boolean, spawn?: () => object }} options spawn makes a worker of thread.js
 */
export async function startThreads(given, relaxed, threads, { layers, spawn = spawnThread }) {
  const isolated = globalThis.crossOriginIsolated;
  const open = typeof SharedArrayBuffer !== 'undefined' && isolated !== false;
  const barred = open
    ? ''
    : 'threads need a cross-origin isolated page (headers COOP: same-origin, COEP: require-corp)';
  const module =
    given ??
    (open ? await compile((layers ? sharedModelFile : sharedAttentionFile)(relaxed)) : undefined);
  if (!module || !WebAssembly.Module.imports(module).length)
    throw new ClearheadError('ENV', barred || 'threads need one of the shared wasm files');
  const shared = sharedMemory();
  const memory = new Memory(
    (
      await WebAssembly.instantiate(module, {
        env: { memory: shared, now: () => performance.now() },
      })
    ).exports,
  );
  if (layers && !memory.c.attn_matmul)
    throw new ClearheadError(
      'ARG',
      'wasm is without layers; expected one of the files model.*.shared.wasm',
    );
  const pool = new Pool(memory, spawn);
  if (open)
    await Promise.all(
      Array.from({ length: threads - 1 }, (_, index) =>
        pool.add({ module, memory: shared, index }),
      ),
    );
  if (!pool.workers.length) {
    const why = barred || `no worker started: ${pool.trouble}`;
    if (!given) throw new ClearheadError('ENV', why);
    pool.trouble = `one thread: ${why}`;
  }
  memory.pool = pool;
  return memory;
}

/** Memory with the largest maximum that the engine allows. */
function sharedMemory() {
  for (const maximum of [65536, 32768, 16384, 4096])
    try {
      return new WebAssembly.Memory({ initial: 64, maximum, shared: true });
    } catch {
      // a smaller one may be had
    }
  throw new ClearheadError('OOM', 'no shared memory is to be had');
}
