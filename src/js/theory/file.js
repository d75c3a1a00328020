import { located } from '../engine/files.js';

/** The kernels of the statements; as the addresses of engine/files.js. */
export const theoryFile = () => located(() => new URL('./theory.wasm', import.meta.url));
