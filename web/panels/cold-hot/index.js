/**
 * Cold and hot: one slider from exactly 0 to exactly ∞. The bars are the row that runs through all
 * panels, or that of the first frame. The model tells the same story at four temperatures.
 */
import { busy } from '../../page/chrome.js';
import { exampleOf as sixKeys } from '../../math/example.js';
import { follow } from '../../page/row.js';
import { onFrame } from '../../page/frames.js';
import { Statement } from '../../page/statement.js';
import { html, setText } from '../../plot/dom.js';
import { heatSlider, temperatureText } from '../look/ends.js';
import { firstFrame } from '../look/hydrate.js';
import { PROMPT } from '../look/state.js';
import { Bars } from './bars.js';
import { codeOf } from './code.js';
import { atAnEnd, atTemperature, between, compare } from './compute.js';
import { exampleOf, FOUR, rowOf, tellAt } from './texts.js';

const NAMES = new Map([
  [0, 'T = 0: the best word alone'],
  [1, 'T = 1: as it was trained'],
  [4, 'T = 4: hot'],
  [Infinity, 'T = ∞: all words alike'],
]);

/**
 * @param {HTMLElement} root
 * @param {import('../../page/panels.js').Context} context
 */
export async function build(root, { state, row, engine, model }) {
  root.classList.add('cold');
  const ch = await engine();
  let own = example();
  let failed = false;
  const bars = new Bars();
  const slider = heatSlider(state.T, {
    label: 'Temperature of the look',
    ends: ['0 the best alone', 'all alike ∞'],
    say: temperatureText,
  });
  const statement = new Statement({
    id: 'cold-row',
    claim: 'the kernel agrees with plain sums; at T = 0 and T = ∞ it agrees exactly',
    allowance:
      'At the ends nothing is allowed. Between them it is u·(n + 8 + 4·(max z − z)/T)·p for each ' +
      'weight, with u = 2⁻⁵³.',
    oracles: [atAnEnd, between],
  });
  const own4 = FOUR.map((T) => {
    const text = html('span', { class: 'cold-text' });
    const element = html(
      'article',
      { class: 'cold-story', 'data-t': String(T) },
      html('h3', {}, NAMES.get(T) ?? ''),
      html('p', {}, html('span', { class: 'cold-prompt' }, PROMPT), text),
    );
    return { T, text, element };
  });
  const status = html('p', { class: 'look-status', role: 'status' });
  root.replaceChildren(
    html('div', { class: 'look-bar' }, slider),
    bars.element,
    bars.note,
    html('div', { class: 'statements' }, statement.element),
    html(
      'p',
      { class: 'cold-lead' },
      'The same story, told on at four temperatures. It always writes the likeliest word. Only ' +
        'its looks are colder or hotter.',
    ),
    html('div', { class: 'cold-stories' }, ...own4.map(({ element }) => element)),
    status,
  );

  const draw = onFrame([state.T], () => {
    const shown = row.value ?? own;
    busy(root, !shown && !failed);
    if (!shown)
      return statement.show({
        verdict: 'none',
        measured: 0,
        allowed: 0,
        text: 'no row is there yet',
      });
    const { words, scores } = shown;
    const T = state.T.value;
    const weights = atTemperature(ch, scores, T);
    bars.show(words, weights, scores, row.value ? '' : (own?.of ?? ''));
    statement.show(compare(weights, scores, T));
    root.dataset.t = String(T);
  });
  follow(row, state.T, ({ temperature }) => temperature);
  row.on(draw);
  draw();

  let told = false;
  async function tellAll() {
    if (told) return;
    told = true;
    root.dataset.telling = '';
    try {
      await model.use(async (remote, signal) => {
        own ??= await exampleOf(remote, PROMPT);
        draw();
        for (const { T, text, element } of own4) {
          await tellAt(remote, signal, PROMPT, T, (written) => setText(text, written));
          if (signal.aborted) return void (told = false);
          element.dataset.told = 'whole';
        }
      });
      setText(status, '');
    } catch (error) {
      told = false;
      failed = true;
      draw();
      setText(
        status,
        model.phase === 'absent' ? 'The model is not here, so no story is told.' : String(error),
      );
    }
    delete root.dataset.telling;
    root.dataset.told = String(told);
  }
  new IntersectionObserver((seen) => {
    if (seen[seen.length - 1].isIntersecting) void tellAll();
  }).observe(root);
  return {
    state: () => ({ T: state.T.value, ...(row.value ?? own) }),
    code: () => codeOf({ T: state.T.value, ...(row.value ?? own ?? sixKeys(undefined)) }),
  };
}

/** The row that the first frame of the page shows. Its scores at T = 1 are log weights. */
function example() {
  const frame = firstFrame();
  return (
    frame && {
      of: rowOf(frame.head, frame.tokens[frame.at].text),
      words: frame.tokens.slice(0, frame.at + 1).map(({ text }) => text),
      scores: Float64Array.from(frame.weights, Math.log),
    }
  );
}
