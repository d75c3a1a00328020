/**
 * Cold and hot: one slider from exactly 0 to exactly ∞. The bars are the row that runs through all
 * panels, or that of the first frame. The model tells the same story at four temperatures.
 */
import { busy } from '../../page/chrome.js';
import { exampleOf as sixKeys } from '../../math/example.js';
import { followTemperature } from '../../page/row.js';
import { onFrame } from '../../page/frames.js';
import { Statement } from '../../page/statement.js';
import { heatSlider, temperatureText } from '../../page/heat.js';
import { block, onSight, verdicts } from '../../page/layout.js';
import { firstFrame } from '../look/hydrate.js';
import { PROMPT } from '../look/state.js';
import { Bars } from './bars.js';
import { codeOf } from './code.js';
import { atAnEnd, atTemperature, between, compare } from './compute.js';
import { Stories } from './stories.js';
import { exampleOf, rowOf } from './texts.js';

const AT_ONE = 'At T = 1 its shares are those that the page begins with.';

const statementOfRow = () =>
  new Statement({
    id: 'cold-row',
    claim: 'the wasm code agrees with plain sums; at T = 0 and T = ∞ it agrees exactly',
    allowance:
      'At the ends nothing is allowed. Between them it is u·(n + 8 + 4·(max z − z)/T)·p for each ' +
      'weight, with u = 2⁻⁵³.',
    oracles: [atAnEnd, between],
  });

/**
 * @param {HTMLElement} root
 * @param {import('../../page/panels.js').Context} context
 */
export async function build(root, { state, row, engine, model }) {
  root.classList.add('cold');
  const ch = await engine();
  let own = example();
  /** The files of its model. @type {unknown} */
  let of;
  let visible = false;
  let failed = false;
  const bars = new Bars();
  const slider = heatSlider(state.T, {
    label: 'Temperature of the look',
    ends: ['0: the best alone', '∞ (no limit): all alike'],
    say: temperatureText,
  });
  const statement = statementOfRow();
  const stories = new Stories(root, model, () => void tell());
  root.replaceChildren(
    block('look-bar', slider),
    bars.element,
    bars.note,
    verdicts([statement]),
    stories.lead,
    stories.element,
    stories.status,
  );
  const draw = onFrame([state.T], () => {
    const shown = row.value ?? own;
    busy(root, !shown && !failed);
    if (!shown) return statement.nothing('no row is there yet');
    const { words, scores } = shown;
    const T = state.T.value;
    const weights = atTemperature(ch, scores, T);
    bars.show(words, weights, scores, row.value ? '' : (own?.of ?? ''));
    statement.show(compare(weights, scores, T));
    root.dataset.t = String(T);
  });
  const followed = [followTemperature(row, state.T)];
  row.on(draw);
  draw();
  const tell = async () => {
    if (!visible) return;
    const told = await stories.tellAll(async (remote) => {
      if (!own || of !== model.source) own = await exampleOf(remote, PROMPT);
      of = model.source;
      draw();
    });
    if (told) return;
    failed = true;
    draw();
  };
  onSight(root, (seen) => {
    visible = seen;
    void tell();
  });
  model.on(({ phase, source }) => {
    if (phase === 'ready' && source !== stories.of) void tell();
  });
  return {
    followed,
    state: () => ({ T: state.T.value, ...(row.value ?? own) }),
    code: () => codeOf({ T: state.T.value, ...(row.value ?? own ?? sixKeys(undefined)) }),
  };
}

/** The row that the first frame of the page shows. Its scores at T = 1 are log weights. */
function example() {
  const frame = firstFrame();
  return (
    frame && {
      of: `${rowOf(frame.head, frame.tokens[frame.at].text)} ${AT_ONE}`,
      words: frame.tokens.slice(0, frame.at + 1).map(({ text }) => text),
      scores: Float64Array.from(frame.weights, Math.log),
    }
  );
}
