/** `clearhead/inline`: attention in one file, with its kernels and workers inside. */
export { ClearheadError, init } from '../index.js';
export * as worker from '../worker/attention-client.js';
