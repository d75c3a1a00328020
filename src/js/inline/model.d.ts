/** The public types of `clearhead/inline/model`. */
export * from '../types.js';
export { inspectModel, loadModel } from '../model/api.js';
export type * from '../model/api.js';
export type { RopeScaling } from '../model/api.js';
/** Attention and models in a worker, as `clearhead/worker` has them. */
export * as worker from '../worker/client.js';
