/**
 * `clearhead/inline/model`: models too, in one file. It is a function whose text runs in workers
 * too, with a role there.
 */
export { ClearheadError, init } from '../index.js';
export { inspectModel, loadModel } from '../model/index.js';
export * as worker from '../worker/client.js';

if (globalThis.clearheadRole === 'host') void import('../worker/host.js');
if (globalThis.clearheadRole === 'attention') void import('../worker/attention-host.js');
