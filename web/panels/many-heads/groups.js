/** How many key/value heads the machine has. */
import { html, setText } from '../../plot/dom.js';
import { divisors, fittingGroups, nameOf } from './fitting.js';
import { setsOf, sharedBy } from './words.js';

/** @typedef {import('./compute.js').MachineState} MachineState */

/** The slider from MHA to MQA: its stops are the divisors of H. @param {MachineState} state */
export function groupSlider({ H, G }) {
  const id = 'kv-heads';
  const range = html('input', { type: 'range', id, min: 0, step: 1 });
  const value = html('data', { class: 'slot-value kv-name' });
  const between = html('span', {}, 'GQA');
  const firstEnd = html('span');
  const ends = (/** @type {string} */ depth, /** @type {readonly (string | Element)[]} */ names) =>
    html(
      'span',
      { class: 'ends', 'aria-hidden': 'true', 'data-depth': depth },
      ...names.map((name) => html('span', {}, name)),
    );
  const element = html(
    'div',
    { class: 'control slider detents' },
    html(
      'label',
      { for: id },
      'Sets of keys',
      html('span', { 'data-depth': 'understand' }, ' (G)'),
    ),
    html(
      'span',
      { class: 'range-with-ends' },
      range,
      ends('look', [firstEnd, '1 for all']),
      ends('understand', ['MHA', between, 'MQA']),
    ),
    value,
  );
  range.addEventListener('input', () => G.set(divisors(H.value)[Number(range.value)]));
  const show = () => {
    const stops = divisors(H.value);
    const now = fittingGroups(H.value, G.value);
    const share = H.value / now;
    between.style.visibility = stops.length > 2 ? '' : 'hidden';
    setText(firstEnd, `${H.value}, each its own`);
    range.max = String(stops.length - 1);
    range.value = String(stops.indexOf(now));
    const name = html('span', { 'data-depth': 'understand' }, ` · ${nameOf(H.value, now)}`);
    value.replaceChildren(`${now}: ${now === 1 ? 'all share it' : sharedBy(share)}`, name);
    value.dataset.value = String(now);
    range.setAttribute('aria-valuetext', `${setsOf(now)}: ${sharedBy(share)}`);
  };
  H.on(show);
  G.on(show);
  show();
  return { element };
}
