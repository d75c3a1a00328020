import { located } from '../engine/files.js';

/**
 * The larger files, which hold attention, layers and models; as the addresses of engine/files.js.
 * @param {boolean} relaxed
 */
export const modelFile = (relaxed) =>
  located(() =>
    relaxed
      ? new URL('../engine/model.relaxed.wasm', import.meta.url)
      : new URL('../engine/model.simd.wasm', import.meta.url),
  );
