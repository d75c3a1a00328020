/** The public types of `clearhead/inline`: those of `clearhead`, without its layers. */
export * from '../types.js';
/** Attention in a worker, as `clearhead/worker` has it. */
export * as worker from '../worker/attention.js';
