/** Starts workers from text, because the single files of dist have no other files to load. */
import { nodeWorkers } from '../engine/workers.js';

/* global clearheadCode -- scripts/bundle.js */

/** Addresses of texts, which stay for further workers. @type {Map<string, string>} */
const addresses = new Map();

/**
 * A worker of the text of a classic script. In a page its policy needs `worker-src blob:`.
 * @param {string} text
 * @returns {Promise<import('../engine/workers.js').AnyWorker>}
 */
export async function spawnText(text) {
  const node = await nodeWorkers();
  // without the program's own flags, some of which (--input-type) a worker refuses
  if (node) return new node.Worker(text, { eval: true, execArgv: [] });
  const address =
    addresses.get(text) ?? URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  addresses.set(text, address);
  return new Worker(address);
}

/**
 * A worker that runs this script in one of the roles of model.js.
 * @param {'host' | 'attention'} role
 */
export const spawnRole = (role) =>
  spawnText(`globalThis.clearheadRole='${role}';(${clearheadCode})()`);
