/**
 * `clearhead/inline/model`: attention, layers and models in one file. The bundle is one function.
 * Its workers run the text of the same function, and clearheadRole tells them their work.
 */
export { ClearheadError, init } from '../index.js';
export { inspectModel, loadModel } from '../model/index.js';
export * as worker from '../worker/client.js';

if (globalThis.clearheadRole === 'host') void import('../worker/host.js');
if (globalThis.clearheadRole === 'attention') void import('../worker/attention-host.js');
