/** In the worker of the kernels: the page's model with its weights shuffled, and its check. */
import { compareFiles, shuffle } from './shuffle.js';

/**
 * @param {import('../../page/engine.js').Engine} _engine
 * @param {string} address of the model @param {number} seed
 */
export async function shuffled(_engine, address, seed) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`the model did not come: ${answer.status}`);
  const file = new Uint8Array(await answer.arrayBuffer());
  const { bytes, ...counts } = await shuffle(file, seed);
  return { bytes, ...counts, ...(await compareFiles(file, bytes)) };
}
