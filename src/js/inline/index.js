/** `clearhead/inline`: attention in one file, with its kernels and workers inside. */
export { ClearheadError, init } from '../index.js';
