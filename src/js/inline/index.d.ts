/** The public types of `clearhead/inline`: those of `clearhead`, without its layers. */
export * from '../types.js';
