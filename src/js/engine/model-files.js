/** The larger files, which hold these and models; as that of load.js. @param {boolean} relaxed */
export const fileOf = (relaxed) =>
  relaxed
    ? new URL('./model.relaxed.wasm', import.meta.url)
    : new URL('./model.simd.wasm', import.meta.url);
/** For threads. @param {boolean} relaxed */
export const sharedFileOf = (relaxed) =>
  relaxed
    ? new URL('./model.relaxed.shared.wasm', import.meta.url)
    : new URL('./model.simd.shared.wasm', import.meta.url);
