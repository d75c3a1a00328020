/** Sharing: the cost of shared keys, and their savings. */
import { slider } from '../../page/controls.js';
import {
  besideWords,
  controlsRow,
  orGiveUp,
  paragraph,
  scrolling,
  verdicts,
  wait,
} from '../../page/layout.js';
import { setText } from '../../plot/dom.js';
import { fixed, scientific, short } from '../../plot/format.js';
import { onFrame } from '../../page/frames.js';
import { Statement } from '../../page/statement.js';
import { cachesTable } from './caches-table.js';
import { codeOf } from './code.js';
import { changeOf } from './compute.js';
import { Picture } from './picture.js';

/** @typedef {import('./picture.js').Shared} Shared */

const T = 1;
const U = 2 ** -53;
/** A bound, and rounding of some hundred units on either side. */
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
const statements = () => ({
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
          oracles: [changeOf],
        }),
      ]),
    )
  ),
  measured: new Statement({
    id: 'C22-oracle',
    claim: 'the changes are those of textbook loops',
    allowance: 'Allowed: u·512, for logits up to 30 in size.',
    oracles: [changeOf],
  }),
  latent: new Statement({
    id: 'C23',
    claim: 'keys written out and keys absorbed into the query give the same weights',
    allowance: 'Allowed per weight: u·(16 + 8A)·w, A the sum of the sizes of a logit’s terms.',
    oracles: [],
  }),
});

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { state, lab }) {
  const checks = statements();
  const picture = new Picture();
  const sentence = paragraph('sentence');
  const part = slider(state.part, {
    label: 'Way to the shared keys',
    min: 0,
    max: 1,
    step: 0.01,
    say: (value) => `${Math.round(100 * value)} per cent of the way to shared keys`,
  });
  root.replaceChildren(
    besideWords(picture.figure.element, sentence, controlsRow(part.element)),
    scrolling('Caches of models', cachesTable()),
    verdicts(checks),
  );

  /** @type {Shared | undefined} */
  let found;
  async function share() {
    found = undefined;
    const setting = { seed: state.seed.value, part: state.part.value, T };
    const shared = /** @type {Shared | undefined} */ (await lab.ask('sharing', 'share', [setting]));
    if (!shared) return;
    found = shared;
    picture.show(shared);
    const worst = Math.max(...shared.measured.weights2);
    const allowed = Math.max(...shared.bounds.sharp.values);
    setText(
      sentence,
      `A head goes ${Math.round(100 * setting.part)} % of the way to the keys it shares with ` +
        `three others. Its weights change by ${fixed(worst, 2)} at most. The tightest bound ` +
        `allows ${fixed(allowed, 2)}, and any two rows are within ${fixed(Math.SQRT2, 2)} anyway.`,
    );
    tell(checks, shared);
  }

  wait(checks);
  const { latent: _, ...ofSharing } = checks;
  onFrame([state.part, state.seed], () => void orGiveUp(ofSharing, share()));
  const [both] = await Promise.all([
    lab.ask('sharing', 'latent', [{ seed: state.seed.value, T }]),
    share(),
  ]);
  if (both)
    checks.latent.show({
      ...both,
      text: `measured ${scientific(both.measured)}, allowed ${scientific(both.allowed)}`,
    });
  return {
    state: () => ({ ...found }),
    code: () => codeOf({ seed: state.seed.value, part: state.part.value, T }),
    exports: { svg: () => picture.figure.picture },
  };
}

/** @param {ReturnType<typeof statements>} checks @param {Shared} shared */
function tell(checks, { measured, bounds, oracle }) {
  for (const [name, kind] of BOUNDS) checks[name].show(keeps(bounds[name], measured[kind]));
  const off = Math.max(...oracle.map((x, i) => Math.abs(x - measured.weights2[i])));
  checks.measured.show({ measured: off, allowed: 512 * U });
}

/**
 * Whether each query keeps to a bound.
 * @param {Shared['bounds']['sharp']} bound @param {ArrayLike<number>} changes
 * @returns {import('../../page/statement.js').Finding}
 */
function keeps(bound, changes) {
  const values = Array.from(changes);
  const over = values.filter((x, i) => !(x <= bound.values[i] * ROUNDED + U));
  const violated = Math.max(bound.violated, over.length);
  const { vacuous, slack } = bound;
  const common = {
    measured: Math.max(...values),
    allowed: Math.max(...bound.values),
    data: { violated, vacuous, slack },
  };
  if (!common.measured) return { ...common, verdict: 'none', text: 'nothing is shared yet' };
  if (violated)
    return {
      ...common,
      verdict: 'violated',
      text: `${violated} of ${values.length} queries change more`,
    };
  return {
    ...common,
    verdict: 2 * vacuous >= values.length ? 'vacuous' : 'slack',
    text:
      `the bound is ${short(slack)} times the change or more; it says nothing ` +
      `for ${vacuous} of ${values.length} queries`,
  };
}
