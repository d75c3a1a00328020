/** In the worker of the kernels: every row of a model that is in training. */
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { KERNELS } from '../../page/engine.js';
import { kept } from '../../page/kept.js';

const layers = kept(() => init({ ...KERNELS, layers: true }));

/**
 * @param {unknown} _ the engine of the other panels, which has no layers
 * @param {import('../../../src/js/train/types.d.ts').SavedFiles} files
 * @param {Int32Array} tokens (sequences, length)
 * @param {number} length
 * @returns {Promise<import('./scores.js').Rows>}
 */
export async function rows(_, { weights: file, config }, tokens, length) {
  const engine = await layers();
  const model = await loadModel({ weights: file, config }, { engine });
  try {
    const heads = model.config.layers * model.config.heads;
    const sequences = tokens.length / length;
    const triangle = (length * (length + 1)) / 2;
    const weights = new Float32Array(sequences * heads * triangle);
    const budgets = new Float32Array(sequences * heads * length);
    for (let s = 0; s < sequences; s++) {
      model.cache.clear();
      for (let i = 0; i < length; i++) {
        const { heads: stats } = model.step(tokens[s * length + i], { observe: 'weights' });
        stats.weights.forEach((row, h) => {
          weights.set(row.weights, (s * heads + h) * triangle + (i * (i + 1)) / 2);
          budgets[(s * heads + h) * length + i] = stats.kl[h];
        });
      }
    }
    return { weights, budgets };
  } finally {
    model.dispose();
  }
}
