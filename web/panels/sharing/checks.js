/** The statements of “sharing”, and their verdicts. */
import { Statement } from '../../page/statement.js';
import { short } from '../../plot/format.js';
import { changeOf } from './compute.js';

/** @typedef {import('./picture.js').Shared} Shared */

const U = 2 ** -53;
/** A bound, and rounding of 1,024 units. */
const ROUNDED = 1 + 2 ** -43;

/** The bounds of sharedKeyBounds: the name, what is measured, and the formula. */
const BOUNDS = /** @type {const} */ ([
  ['sharp', 'weights2', '‖δz − mean‖/(2T)'],
  ['note', 'weights2', '‖δz‖/T'],
  ['operator', 'weights2', '‖ΔK‖‖q‖/(T√d)'],
  ['range', 'weights1', '(max δz − min δz)/(2T)'],
  ['outputDiameter', 'output', '½‖Δp‖₁·diam V + max‖ΔV‖'],
]);

/** A statement for each bound under its name, and two more. */
export const statements = () => ({
  .../** @type {Record<(typeof BOUNDS)[number][0], Statement>} */ (
    Object.fromEntries(
      BOUNDS.map(([name, , formula]) => [
        name,
        new Statement({
          id: `C22-${name}`,
          claim: `no query changes by more than ${formula}`,
          allowance:
            'A bound for each query, with rounding as sensitivity.h derives it. Vacuous: it ' +
            'allows the largest change that there is for half of the queries or more.',
          oracles: [keeps],
        }),
      ]),
    )
  ),
  measured: new Statement({
    id: 'C22-oracle',
    claim: 'the changes are those of textbook loops',
    allowance:
      'Allowed for a query of n keys: 4u·(n + 8 + 2(d + 4)·A), A the largest sum of the sizes of ' +
      'a score’s terms.',
    oracles: [changeOf],
  }),
  latent: new Statement({
    id: 'C23',
    claim: 'keys written out and keys absorbed into the query give the same weights',
    allowance: 'Allowed per weight: u·(16 + 8A)·w, A the sum of the sizes of a logit’s terms.',
    oracles: [],
  }),
});

/**
 * @param {ReturnType<typeof statements>} checks @param {Shared} shared
 * @param {number} part of the way to the shared keys
 */
export function tell(checks, { measured, bounds, oracle, allowed }, part) {
  const unchanged = part ? 'no look changes' : 'nothing is shared yet';
  for (const [name, kind] of BOUNDS)
    checks[name].show(keeps(bounds[name], measured[kind], unchanged));
  const size = Math.max(...measured.weights2);
  const off = oracle.map((x, i) => Math.abs(x - measured.weights2[i]));
  if (size === 0 && Math.max(...off) === 0) return checks.measured.nothing(unchanged);
  checks.measured.show({
    measured: Math.max(...off),
    allowed: Math.max(...allowed),
    ratio: Math.max(...off.map((x, i) => x / allowed[i])),
    size,
  });
}

/**
 * Whether each query keeps to a bound.
 * @param {import('./compute.js').Bound} bound @param {ArrayLike<number>} changes
 * @param {string} unchanged why there is nothing to compare
 * @returns {import('../../page/statement.js').Finding}
 */
export function keeps(bound, changes, unchanged) {
  const values = Array.from(changes);
  const over = values.filter((x, i) => !(x <= bound.values[i] * ROUNDED + U));
  const violated = Math.max(bound.violated, over.length);
  const { vacuous, slack } = bound;
  const common = {
    measured: Math.max(...values),
    allowed: Math.max(...bound.values),
    data: { violated, vacuous, slack },
  };
  if (violated)
    return {
      ...common,
      verdict: 'violated',
      text: `${violated} of ${values.length} queries change more`,
    };
  if (common.measured === 0) return { ...common, verdict: 'none', text: unchanged };
  return {
    ...common,
    verdict: 2 * vacuous >= values.length ? 'vacuous' : 'slack',
    text:
      `the bound is ${short(slack)} times the change or more; it says nothing ` +
      `for ${vacuous} of ${values.length} queries`,
  };
}
