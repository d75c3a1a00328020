/** The statements as the command line checks them, with kernels that also have layers. */
import { lab } from '../../../src/cli/lab.js';
import { examine } from '../../../src/cli/statements.js';
import { init } from '../../../src/js/index.js';
import { KERNELS } from '../../page/engine.js';
import { kept } from '../../page/kept.js';

const engine = kept(() => init({ ...KERNELS, layers: true }));

/**
 * Both sides of every statement, on the random inputs of a seed.
 * @param {unknown} _engine the page's own has no layers
 * @param {number} seed
 */
export async function prove(_engine, seed) {
  const begun = performance.now();
  const ch = await engine();
  const found = examine(await lab(ch, seed));
  const statements = found.map(({ number, name, holds, worst, parts }) => ({
    number,
    name,
    holds,
    worst,
    parts,
  }));
  return {
    seed,
    variant: ch.info.variant,
    milliseconds: performance.now() - begun,
    statements,
  };
}
