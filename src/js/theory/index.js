/**
 * The statements behind attention (theory.h). They have a wasm module and a memory of their own, so
 * inputs are copied and attention is loaded without them.
 */
import { compile } from '../engine/load.js';
import { ClearheadError } from '../errors.js';
import { bound } from '../names.js';
import { theoryFile } from './file.js';
import { FUNCTIONS } from './functions.js';
import { TheoryMemory } from './memory.js';

/** @typedef {import('../engine/memory.js').Memory} Memory */

/**
 * The functions of all statements.
 * @param {TheoryMemory} memory
 * @returns {import('./types.d.ts').Theory}
 */
export function theory(memory) {
  /** @type {Record<string, (memory: TheoryMemory, ...values: any[]) => unknown>} */
  const statements = FUNCTIONS;
  const functions = Object.entries(statements).map(([name, f]) => [name, bound(name, f, memory)]);
  return Object.freeze(Object.fromEntries(functions));
}

/**
 * Loads theory.wasm, checks that it computes, and returns the statements.
 * @param {Memory} kernels of the engine that the statements are about
 * @param {import('../types.d.ts').InitOptions['theoryWasm']} source default: the file beside this
 */
export async function load(kernels, source) {
  const given = await source;
  const module = await (given === undefined
    ? compile(theoryFile(), 'theory.wasm')
    : compile(given, 'theoryWasm'));
  try {
    const instance = await WebAssembly.instantiate(module, {});
    const memory = new TheoryMemory(instance.exports, kernels);
    // σ² = T·√dim
    if (memory.c.attn_gaussian_sigma2(1, 2) !== 2) throw new Error('self-test');
    return theory(memory);
  } catch (/** @type {any} */ cause) {
    if (cause instanceof RangeError) throw new ClearheadError('OOM', 'no memory left', { cause });
    throw new ClearheadError(
      'FORMAT',
      'theoryWasm is another file or version; expected theory.wasm of this version',
      { cause },
    );
  }
}
