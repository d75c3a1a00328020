/** Sharing: the cost of shared keys, and their savings. */
import { slider } from '../../page/controls.js';
import { html, setText } from '../../plot/dom.js';
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

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { state, lab }) {
  const checks = BOUNDS.map(([name, , formula]) => ({
    name,
    statement: new Statement({
      id: `C22-${name}`,
      claim: `no query changes by more than ${formula}`,
      allowance:
        'A bound for each query, with rounding as sensitivity.h derives it. Vacuous: it allows ' +
        'the largest change that there is for half of the queries or more.',
      oracles: [changeOf],
    }),
  }));
  const measured = new Statement({
    id: 'C22-oracle',
    claim: 'the changes are those of textbook loops',
    allowance: 'Allowed: u·512, for logits up to 30 in size.',
    oracles: [changeOf],
  });
  const latent = new Statement({
    id: 'C23',
    claim: 'keys written out and keys absorbed into the query give the same weights',
    allowance: 'Allowed per weight: u·(16 + 8A)·w, A the sum of the sizes of a logit’s terms.',
    oracles: [],
  });
  const picture = new Picture();
  const sentence = html('p', { class: 'sentence' });
  const part = slider(state.part, {
    label: 'Way to the shared keys',
    min: 0,
    max: 1,
    step: 0.01,
    say: (value) => `${Math.round(100 * value)} per cent of the way to shared keys`,
  });
  root.replaceChildren(
    html(
      'div',
      { class: 'figure-and-words' },
      picture.figure.element,
      html('div', {}, sentence, html('div', { class: 'controls' }, part.element)),
    ),
    html(
      'div',
      { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'Caches of models' },
      cachesTable(),
    ),
    html(
      'div',
      { class: 'statements' },
      ...checks.map(({ statement }) => statement.element),
      measured.element,
      latent.element,
    ),
  );

  /** @type {Shared | undefined} */
  let found;
  async function share() {
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
    tell(shared);
  }

  /** @param {Shared} shared */
  function tell({ measured: seen, bounds, oracle }) {
    checks.forEach(({ name, statement }, at) => {
      const bound = bounds[name];
      const values = seen[BOUNDS[at][1]];
      const over = Array.from(values).filter((x, i) => !(x <= bound.values[i] * ROUNDED + U));
      const violated = Math.max(bound.violated, over.length);
      const nothing = Math.max(...values) === 0;
      statement.show({
        measured: Math.max(...values),
        allowed: Math.max(...bound.values),
        ...(nothing
          ? { verdict: 'none', text: 'nothing is shared yet' }
          : {
              verdict: violated
                ? 'violated'
                : 2 * bound.vacuous >= values.length
                  ? 'vacuous'
                  : 'slack',
              text: violated
                ? `${violated} of ${values.length} queries change more`
                : `the bound is ${short(bound.slack)} times the change or more; it says nothing ` +
                  `for ${bound.vacuous} of ${values.length} queries`,
            }),
        data: { violated, vacuous: bound.vacuous, slack: bound.slack },
      });
    });
    const off = Math.max(...oracle.map((x, i) => Math.abs(x - seen.weights2[i])));
    measured.show({ measured: off, allowed: 512 * U });
  }

  for (const { statement } of checks) statement.wait();
  measured.wait();
  latent.wait();
  onFrame([state.part, state.seed], () => void share());
  const [both] = await Promise.all([
    lab.ask('sharing', 'latent', [{ seed: state.seed.value, T }]),
    share(),
  ]);
  if (both)
    latent.show({
      ...both,
      text: `measured ${scientific(both.measured)}, allowed ${scientific(both.allowed)}`,
    });
  return {
    state: () => ({ ...found }),
    code: () => codeOf({ seed: state.seed.value, part: state.part.value, T }),
    exports: { svg: () => picture.figure.picture },
  };
}
