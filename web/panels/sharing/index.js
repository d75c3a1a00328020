/** Sharing: the cost of shared keys, and their savings. */
import { headName } from '../../../src/js/model/inside/head-name.js';
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
import { codeOf, codeOfRow } from './code.js';
import { changeOf } from './compute.js';
import { Picture } from './picture.js';
import { Source } from './source.js';

/** @typedef {import('./picture.js').Shared} Shared */
/** @typedef {import('./layer.js').Layer} Layer */

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
    allowance:
      'Allowed: 4u·(n + 8 + 2(d + 4)·A), A the largest sum of the sizes of a score’s terms.',
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
export async function build(root, { state, lab, row, model }) {
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

  const source = new Source(row, model);
  /** @type {Shared | undefined} */
  let found;
  async function share() {
    found = undefined;
    const { looks } = source;
    const setting = { seed: state.seed.value, part: state.part.value, T };
    const shared = /** @type {Shared | undefined} */ (
      await lab.ask('sharing', 'share', [setting, looks])
    );
    if (!shared) return;
    found = shared;
    picture.show(shared, looks !== undefined);
    setText(sentence, inWords(shared, setting.part, looks));
    tell(checks, shared);
  }

  source.follow(picture.figure.element);
  wait(checks);
  const { latent: _, ...ofSharing } = checks;
  onFrame([state.part, state.seed, source], () => void orGiveUp(ofSharing, share()));
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
    unfit: source.unfit,
    state: () => ({ ...found }),
    code: () => {
      const { looks } = source;
      return looks
        ? codeOfRow(looks, state.part.value, model)
        : codeOf({ seed: state.seed.value, part: state.part.value, T });
    },
    exports: { svg: () => picture.figure.picture },
  };
}

/**
 * @param {Shared} shared @param {number} part
 * @param {Layer | undefined} layer of the model
 */
function inWords({ measured, bounds }, part, layer) {
  const worst = fixed(Math.max(...measured.weights2), 2);
  const allowed = fixed(Math.max(...bounds.sharp.values), 2);
  const way = `goes ${Math.round(100 * part)} % of the way to`;
  const said = layer
    ? `Head ${headName(layer.row)} ${way} the mean of the ${layer.sets} sets of keys in its ` +
      `layer. Of its last ${measured.weights2.length} looks none changes by more than ${worst}.`
    : `A head ${way} the keys it shares with three others. Its weights change by ${worst} at most.`;
  const anyway = `any two rows are within ${fixed(Math.SQRT2, 2)} anyway`;
  return `${said} The tightest bound allows ${allowed}, and ${anyway}.`;
}

/** @param {ReturnType<typeof statements>} checks @param {Shared} shared */
function tell(checks, { measured, bounds, oracle, size, n, d }) {
  for (const [name, kind] of BOUNDS) checks[name].show(keeps(bounds[name], measured[kind]));
  const off = Math.max(...oracle.map((x, i) => Math.abs(x - measured.weights2[i])));
  checks.measured.show({ measured: off, allowed: 4 * U * (n + 8 + 2 * (d + 4) * size) });
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
