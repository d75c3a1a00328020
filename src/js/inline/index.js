/** `clearhead/inline`: attention in one file, with its kernels and threads inside. */
export { ClearheadError, init } from '../index.js';
