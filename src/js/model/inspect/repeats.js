import { Random } from '../sampling/random.js';

/**
 * Random sequences that come twice. Control tokens are not drawn.
 * @param {object} how
 * @param {number} how.count
 * @param {number} how.period tokens after which a sequence begins again
 * @param {number} how.seed
 * @param {number} how.vocab
 * @param {ReadonlySet<number>} how.without ids that are not drawn
 * @returns {number[][]} (count, 2·period)
 */
export function randomRepeats({ count, period, seed, vocab, without }) {
  const random = new Random(seed);
  const draw = () => {
    for (;;) {
      const id = Math.floor(random.uniform() * vocab);
      if (!without.has(id)) return id;
    }
  };
  return Array.from({ length: count }, () => {
    const once = Array.from({ length: period }, draw);
    return [...once, ...once];
  });
}
