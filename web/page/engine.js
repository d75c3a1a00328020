/**
 * The engine of the page: attention with its caches, and the statements it is checked by. The page
 * and its workers use the plain SIMD kernels: numbers are the same in every browser, and one file
 * serves them all.
 */

/** Options of `init` for every engine of the page. @type {{ variant: 'simd' }} */
export const KERNELS = { variant: 'simd' };

/** Loads them. */
export async function load() {
  const { init } = await import('../../src/js/index.js');
  const { attention, attend, kvCache, info, theory } = await init(KERNELS);
  return { attention, attend, kvCache, info, theory: await theory };
}

/** @typedef {Awaited<ReturnType<typeof load>>} Engine */
