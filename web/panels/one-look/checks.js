/** The statements about one look. */
import { meanOf } from '../../math/oracle.js';
import { bestUseOf, compromise, spending } from '../../math/roads.js';
import { FLAT, STEEP } from '../distance/compute.js';
import { scientific } from '../../plot/format.js';
import { Statement } from '../../page/statement.js';
import { atTheLimit } from './compute.js';

export const statements = () => ({
  agree: new Statement({
    id: 'C0',
    claim: 'softmax, closeness and the best compromise give the same weights',
    allowance:
      `Allowed per weight: u·(${FLAT} + ${STEEP}/T)·w, u = 2⁻⁵³. The first two run in ` +
      'WebAssembly, by dot products and by distances. The climb below knows no exponential.',
    oracles: [compromise, atTheLimit],
  }),
  mean: new Statement({
    id: 'C0-mean',
    claim: 'the output is the mean of the values, each counted by its share',
    allowance:
      'The kernel reads the values and returns the output. Its weights, and the mean below, give ' +
      `the same. Allowed: u·(${FLAT} + ${STEEP}/T + 2n)·Σ w|v|.`,
    oracles: [meanOf],
  }),
  budget: new Statement({
    id: 'C0-budget',
    claim: 'no use of the same budget wins more',
    allowance:
      `Told only what softmax spends, the search below spends as much and wins as much. ` +
      `Allowed, in nats and in units of T: u·(${FLAT} + ${STEEP}/T).`,
    oracles: [bestUseOf, spending],
  }),
  spent: new Statement({
    id: 'C0-spent',
    claim: 'the statistics of the fused pass agree with the weights',
    allowance:
      'KL, log n − H, ⟨z⟩/T − lse + log n, and the sum below over the weights. ' +
      `Allowed: u·(${FLAT} + ${STEEP}/T).`,
    oracles: [spending],
  }),
});

/**
 * @param {ReturnType<typeof statements>} checks
 * @param {ReturnType<typeof import('./compute.js').derive>} found
 */
export function tell(checks, { agree, mean, output, budget, spent, finite, rho, lse }) {
  const { measured, allowed } = agree;
  checks.agree.show({
    ...agree,
    text: `they agree to ${scientific(measured)}, allowed ${scientific(allowed)}`,
  });
  checks.mean.show({ ...mean, data: { across: output[0], up: output[1] } });
  const limit = { verdict: /** @type {const} */ ('none'), text: 'at this limit T has no price' };
  checks.budget.show({ ...budget, ...(finite ? {} : limit) });
  checks.spent.show({ ...spent, data: { rho, lse } });
}
