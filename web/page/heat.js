/**
 * A slider for temperatures, from exactly 0 over 1 in its middle to exactly ∞. Between the ends
 * equal steps are equal factors.
 */
import { html } from '../plot/dom.js';
import { short } from '../plot/format.js';

const LAST = 100;
const MIDDLE = LAST / 2;
/** One step before an end, a temperature is 1/HOT or HOT. */
const HOT = 20;

/** @param {number} position 0 … 100 */
export function temperatureAt(position) {
  if (position <= 0) return 0;
  if (position >= LAST) return Infinity;
  return Number((HOT ** ((position - MIDDLE) / (MIDDLE - 1))).toPrecision(3));
}

/** @param {number} T */
export function positionOf(T) {
  if (T === 0) return 0;
  if (T === Infinity) return LAST;
  const at = Math.round(MIDDLE + ((MIDDLE - 1) * Math.log(T)) / Math.log(HOT));
  return Math.min(LAST - 1, Math.max(1, at));
}

/** @param {number} T */
export const temperatureText = (T) => (T === Infinity ? '∞' : short(T));

/** The slider's positions as temperatures, and back. */
const HEAT = { at: temperatureAt, of: positionOf };

/** From 0 to 2 in even steps, for the choice of words. */
export const BOLDNESS = {
  at: (/** @type {number} */ position) => position / MIDDLE,
  of: (/** @type {number} */ tau) => Math.round(MIDDLE * tau),
};

let count = 0;

/**
 * @param {import('./controls.js').Bindable<number>} signal
 * @param {object} options
 * @param {string} options.label
 * @param {[string, string]} options.ends their meaning
 * @param {(T: number) => string} options.say
 * @param {typeof HEAT} [options.scale]
 */
export function heatSlider(signal, { label, ends, say, scale = HEAT }) {
  const id = `heat-${++count}`;
  const range = html('input', { type: 'range', id, min: 0, max: LAST, step: 1 });
  const value = html('output', { class: 'heat-value', for: id });
  range.addEventListener('input', () => signal.set(scale.at(Number(range.value))));
  const show = () => {
    if (scale.at(Number(range.value)) !== signal.value)
      range.value = String(scale.of(signal.value));
    value.textContent = temperatureText(signal.value);
    value.dataset.value = String(signal.value);
    range.setAttribute('aria-valuetext', say(signal.value));
  };
  signal.on(show);
  show();
  return html(
    'div',
    { class: 'heat' },
    html('label', { for: id }, label, ' ', value),
    range,
    html(
      'span',
      { class: 'heat-ends', 'aria-hidden': 'true' },
      html('span', {}, ends[0]),
      html('span', {}, ends[1]),
    ),
  );
}
