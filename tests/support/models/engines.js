/**
 * The engines under test that have layers and run models: one per variant that engines.js found.
 */
import { readFileSync } from 'node:fs';
import { init } from '../../../src/js/index.js';
import { engines as small } from '../engines.js';

export { withoutRelaxed } from '../engines.js';

/**
 * @type {{ variant: 'simd' | 'relaxed', ch: import('../../../src/js/types.d.ts').Engine &
 *   import('../../../src/js/layers/types.d.ts').Layers }[]}
 */
export const engines = await Promise.all(
  small.map(async ({ variant }) => ({ variant, ch: await init({ variant, layers: true }) })),
);

/** The bytes of a shipped module. */
export const wasmBytes = (variant) =>
  readFileSync(new URL(`../../../src/js/engine/model.${variant}.wasm`, import.meta.url));
