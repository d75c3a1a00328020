/** A wasm file as a bundler or a runtime imports it, for `init({ wasm })` or `theoryWasm`. */
import type { WasmSource } from '../types.d.ts';

declare const wasm: WasmSource;
export default wasm;
