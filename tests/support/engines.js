/**
 * The engines under test: one per variant of the kernels that this JavaScript engine accepts. Node
 * 20 knows relaxed SIMD but hides it behind a flag, which can still be set before the first
 * compilation. The newer Node tests that variant where there is one. With CLEARHEAD_VARIANT=relaxed
 * it tests no other.
 */
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import v8 from 'node:v8';
import { init } from '../../src/js/index.js';
import { newerNode } from '../engines/newer-node/index.js';

const file = (variant) => new URL(`../../src/js/engine/attn.${variant}.wasm`, import.meta.url);
const accepts = (variant) => WebAssembly.validate(readFileSync(file(variant)));

/** @type {{ variant: 'simd' | 'relaxed', ch: import('../../src/js/types.d.ts').Engine }[]} */
export const engines = [{ variant: 'simd', ch: await init({ variant: 'simd' }) }];

/** Why the relaxed variant is not among them; empty when it is. */
export let withoutRelaxed = '';
if (!existsSync(file('relaxed')))
  withoutRelaxed = 'relaxed: not built, the toolchain lacks relaxed SIMD';
else {
  if (!accepts('relaxed') && !newerNode) v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
  if (accepts('relaxed')) {
    engines.push({ variant: 'relaxed', ch: await init({ variant: 'relaxed' }) });
    if (process.env.CLEARHEAD_VARIANT === 'relaxed') engines.shift();
  } else withoutRelaxed = 'relaxed: this engine does not accept relaxed SIMD';
}

/** The bytes of a shipped module. */
export const wasmBytes = (variant) => readFileSync(file(variant));
