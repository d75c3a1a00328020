/** The parts that differ among places: workers, clocks and news of dropped objects. */
import { ClearheadError } from '../errors.js';
import { nodeModule } from './node.js';

/**
 * Node's module of workers where they are to be its own: in Node, which has no others, and in Deno,
 * whose others keep a program from ending. Elsewhere nothing, and they are the web's.
 * @returns {Promise<any>}
 */
export async function nodeWorkers() {
  if (typeof Worker === 'function' && !('Deno' in globalThis)) return undefined;
  return nodeModule('worker_threads').catch((cause) => {
    throw new ClearheadError('ENV', 'there are no workers here', { cause });
  });
}

/** Milliseconds; an audio worklet has no finer clock. */
export const now = () => (globalThis.performance ?? Date).now();

/**
 * Tells of objects that were dropped, where the engine can. Some (workerd with an older date of
 * compatibility) have no FinalizationRegistry.
 * @template T
 * @param {(kept: T) => void} release
 * @returns {Pick<FinalizationRegistry<T>, 'register' | 'unregister'>}
 */
export const registry = (release) =>
  typeof FinalizationRegistry === 'function'
    ? new FinalizationRegistry(release)
    : { register() {}, unregister: () => false };
