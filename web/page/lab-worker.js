/**
 * The worker of kernels and oracles. It answers { id, panel, op, args } with { id, result } or
 * { id, error }: `op` is a function of the panel's worker.js, called with the engine.
 */
import { load } from './engine.js';
import { kept } from './kept.js';

/**
 * A panel that computes here has a row.
 * @type {Record<string, () => Promise<Record<string, any>>>}
 */
const WORKERS = {
  page: async () => ({ ready }),
  born: () => import('../panels/born/worker.js'),
  distance: () => import('../panels/distance/worker.js'),
  lab: () => import('../panels/lab/worker.js'),
  'many-heads': () => import('../panels/many-heads/worker.js'),
  commitment: () => import('../panels/commitment/worker.js'),
  push: () => import('../panels/push/worker.js'),
  sharing: () => import('../panels/sharing/worker.js'),
  proofs: () => import('../panels/proofs/worker.js'),
  speed: () => import('../panels/speed/worker.js'),
};

const engine = kept(load);

/** Whether both kinds of kernels are there. @param {import('./engine.js').Engine} engine */
const ready = ({ attention, theory }) => ({
  attention: typeof attention === 'function',
  theory: typeof theory.klBudget === 'function',
});

/**
 * The memory of typed arrays is handed over, where it is not the kernels' own.
 * @param {unknown} value @param {Set<ArrayBuffer>} [found]
 */
function buffersOf(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength)
      found.add(value.buffer);
  } else if (value && typeof value === 'object')
    for (const part of Object.values(value)) buffersOf(part, found);
  return found;
}

addEventListener('message', async ({ data: { id, panel, op, args } }) => {
  try {
    const module = await WORKERS[panel]();
    const result = await module[op](await engine(), ...args);
    postMessage({ id, result }, { transfer: [...buffersOf(result)] });
  } catch (error) {
    const { name, code, message } = /** @type {Error & { code?: string }} */ (error);
    postMessage({ id, error: { name, code, message } });
  }
});
