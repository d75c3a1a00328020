/** The engine of the page: attention, and the statements it is checked by. */

/** Loads both. */
export async function load() {
  const { init } = await import('../../src/js/index.js');
  const { attention, info, theory } = await init();
  return { attention, info, theory: await theory };
}

/** @typedef {Awaited<ReturnType<typeof load>>} Engine */
