/** Stands in the place of worker/spawn.js. */
import host from 'clearhead:host';
import kernels from 'clearhead:kernels';
import { spawnText } from './spawn.js';

/** The host, for which the kernels are a global, so that they are not inside twice. */
export const spawnHost = () =>
  spawnText(`globalThis.clearheadKernels=${JSON.stringify(kernels)};${host}`);
