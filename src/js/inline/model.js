/** `clearhead/inline/model`: models too, in one file. */
export { ClearheadError, init } from '../index.js';
export { inspectModel, loadModel } from '../model/index.js';
export * as worker from '../worker/client.js';
