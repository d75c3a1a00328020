/** The controls of the machine. */
import { numberField, options, slider, temperature, toggle } from '../../page/controls.js';
import { controlsRow, seedControls } from '../../page/layout.js';
import { html } from '../../plot/dom.js';
import { short } from '../../plot/format.js';
import { groupSlider } from './groups.js';

/** @typedef {import('./compute.js').MachineState} MachineState */

/** Above the heads. @param {MachineState} state */
export const firstControls = (state) =>
  controlsRow(
    groupSlider(state).element,
    temperature(state.T, (value) => `T ${short(value)}`, { ends: true }).element,
    toggle(state.causal, 'no looking ahead'),
  );

/** Those that are wanted rarely. @param {MachineState} state */
export function moreControls({ H, n, d, reach, kind, seed, poison }) {
  const window = slider(reach, {
    label: 'Window: positions to each side',
    min: 0,
    max: 256,
    say: (value) => (value >= n.value - 1 ? 'open' : `${value} to each side`),
  });
  return html(
    'details',
    { class: 'more', 'data-depth': 'understand' },
    html('summary', {}, 'sizes, window, data'),
    controlsRow(
      window.element,
      numberField(H, { label: 'query heads H', min: 1, max: 32 }),
      numberField(n, { label: 'positions n', min: 1, max: 256 }),
      numberField(d, { label: 'head size d', min: 1, max: 256 }),
      options(kind, 'Data', { patterns: 'patterns', normal: 'independent' }),
      ...seedControls(seed),
      numberField(poison, { label: 'a NaN in set 0, key (−1: none)', min: -1, max: 255 }),
    ),
  );
}
