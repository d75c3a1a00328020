/** Native inputs bound to signals: a range beside a number field, switches, choices. */
import { notify, settle } from './notice.js';
import { html, setText } from '../plot/dom.js';
import { fitting } from '../plot/format.js';
import { onFrame } from './frames.js';

/**
 * A value that an input can be bound to: a signal, or a part of one.
 * @template T
 * @typedef {object} Bindable
 * @property {T} value
 * @property {(value: T) => void} set
 * @property {(listener: (value: T) => void) => void} on
 * @property {string} range the values it can have, in words
 * @property {(typed: T) => T} [wrap] brings a value into the range: 400 degrees are 40
 */

let counter = 0;
const nextId = () => `control-${++counter}`;

/**
 * Sets the signal to the number that was typed, and says so if it became another one.
 * @param {HTMLInputElement} field @param {Bindable<number>} signal @param {string} label
 */
function setFromField(field, signal, label) {
  const { wrap = Number } = signal;
  const asked = field.value === '' ? NaN : wrap(Number(field.value));
  if (Number.isFinite(asked)) signal.set(asked);
  writeField(field, signal.value);
  const shown = Number.isFinite(asked) ? asked : 'what was typed';
  if (asked === signal.value) settle(label);
  else notify(label, `${label} is ${signal.range}, so ${shown} became ${signal.value}.`);
}

/**
 * A field of numbers cannot hold infinity, and shows its sign instead.
 * @param {HTMLInputElement} field
 */
function writeField(field, /** @type {number} */ value) {
  field.value = Number.isFinite(value) ? fitting(value) : '';
  field.placeholder = Number.isFinite(value) ? '' : '∞';
}

/**
 * A slider with a typed number beside it. With `log`, equal steps of the slider are equal factors.
 * @param {Bindable<number>} signal
 * @param {object} options
 * @param {string} options.label
 * @param {number} options.min @param {number} options.max
 * @param {boolean} [options.log]
 * @param {number} [options.step] of the slider (of the logarithm, with `log`)
 * @param {readonly number[]} [options.detents] values the slider snaps to when near
 * @param {(value: number) => string} [options.say] the value in words, for assistive technology
 */
export function slider(
  signal,
  { label, min, max, log = false, step = log ? 0.01 : 1, detents = [], say = String },
) {
  const id = nextId();
  const forward = log ? Math.log10 : (/** @type {number} */ x) => x;
  const back = log
    ? (/** @type {number} */ x) => Number((10 ** x).toPrecision(3))
    : (/** @type {number} */ x) => x;
  const range = html('input', {
    type: 'range',
    id,
    min: forward(min),
    max: forward(max),
    step: log ? 'any' : step,
  });
  const field = html('input', {
    type: 'number',
    min,
    max,
    step: 'any',
    'aria-label': `${label}, as a number`,
  });
  const element = html(
    'div',
    { class: 'control slider' },
    html('label', { for: id }, label),
    range,
    field,
  );
  range.addEventListener('input', () => {
    const near = detents.find(
      (value) => Math.abs(forward(value) - Number(range.value)) < 1.5 * step,
    );
    signal.set(near ?? back(Number(range.value)));
    if (near !== undefined) range.value = String(forward(near));
  });
  range.addEventListener('keydown', (event) => {
    // step="any" would move by a hundredth of the range: fine for dragging, and this keeps keys in
    // even steps.
    const direction = {
      ArrowRight: 1,
      ArrowUp: 1,
      ArrowLeft: -1,
      ArrowDown: -1,
      PageUp: 10,
      PageDown: -10,
    }[event.key];
    if (!direction || !log) return;
    event.preventDefault();
    const from = Math.min(max, Math.max(min, signal.value));
    signal.set(Math.min(max, Math.max(min, back(forward(from) + direction * 0.02))));
  });
  field.addEventListener('change', () => setFromField(field, signal, label));
  const show = () => {
    const { value } = signal;
    if (document.activeElement !== range || Math.abs(back(Number(range.value)) - value) > 1e-12)
      range.value = String(forward(Math.min(max, Math.max(min, value))));
    writeField(field, value);
    range.setAttribute('aria-valuetext', say(value));
  };
  onFrame([signal], show); // with the figure, which is drawn once a frame
  show();
  return { element, range, field, refresh: show };
}

/**
 * A slider for the temperature of attention, which snaps to a half, one and two. With `ends` it has
 * a button for exactly 0 and one for infinity.
 * @param {Bindable<number>} T
 * @param {(T: number) => string} say
 * @param {{ min?: number, max?: number, ends?: boolean }} [range]
 */
export function temperature(T, say, { min = 1e-3, max = 1e3, ends = false } = {}) {
  const knob = slider(T, {
    label: 'Temperature T',
    min,
    max,
    log: true,
    detents: [0.5, 1, 2],
    say,
  });
  if (ends) {
    const limit = (/** @type {string} */ text, /** @type {number} */ value) => {
      const end = button(text, () => T.set(value));
      end.dataset.step = '';
      end.setAttribute('aria-label', `T = ${value === 0 ? '0' : 'infinity'}, exactly`);
      const show = () => end.setAttribute('aria-pressed', String(T.value === value));
      T.on(show);
      show();
      return end;
    };
    knob.range.before(limit('0', 0));
    knob.range.after(limit('∞', Infinity));
    knob.element.classList.add('with-ends');
  }
  return knob;
}

/**
 * A number field without a slider, for numbers that are set rarely.
 * @param {Bindable<number>} signal
 * @param {{ label: string, min?: number, max?: number, step?: number | 'any' }} options
 */
export function numberField(signal, { label, min, max, step = 1 }) {
  const id = nextId();
  const field = html('input', {
    type: 'number',
    id,
    min,
    max,
    step,
    class: Number(max) > 1e6 && 'wide',
  });
  field.addEventListener('change', () => setFromField(field, signal, label));
  const show = () => void (field.value = String(signal.value));
  signal.on(show);
  show();
  return html('div', { class: 'control' }, html('label', { for: id }, label), field);
}

/** @param {Bindable<boolean>} signal @param {string} label */
export function toggle(signal, label) {
  const id = nextId();
  const box = html('input', { type: 'checkbox', id, role: 'switch' });
  box.addEventListener('change', () => signal.set(box.checked));
  const show = () => void (box.checked = signal.value);
  signal.on(show);
  show();
  return html('div', { class: 'control toggle' }, box, html('label', { for: id }, label));
}

/**
 * A few options side by side.
 * @template {string} T
 * @param {Bindable<T>} signal @param {string} label @param {Readonly<Record<T, string>>} names
 * @param {readonly T[]} [deep] those for readers who want to understand
 */
export function options(signal, label, names, deep = []) {
  const group = nextId();
  const element = html('fieldset', { class: 'control options' }, html('legend', {}, label));
  /** @type {HTMLInputElement[]} */
  const radios = [];
  for (const value of /** @type {T[]} */ (Object.keys(names))) {
    const id = nextId();
    const radio = html('input', { type: 'radio', name: group, id, value });
    radio.addEventListener('change', () => signal.set(value));
    radios.push(radio);
    element.append(
      html(
        'span',
        { class: 'option', 'data-depth': deep.includes(value) ? 'understand' : null },
        radio,
        html('label', { for: id }, names[value]),
      ),
    );
  }
  const show = () => radios.forEach((radio) => void (radio.checked = radio.value === signal.value));
  signal.on(show);
  show();
  return element;
}

/** @param {string} label @param {() => void} act @param {string} [name] of its class */
export function button(label, act, name = 'quiet') {
  const element = html('button', { type: 'button', class: name }, label);
  element.addEventListener('click', act);
  return element;
}

/**
 * A fixed-width slot for a changing number.
 * @param {string} name
 * @param {string} widest the longest text it will hold
 */
export function slot(name, widest) {
  const value = html('data', { class: 'slot-value' });
  value.style.minWidth = `${widest.length}ch`;
  const element = html(
    'span',
    { class: 'slot' },
    html('span', { class: 'slot-name' }, name),
    ' ',
    value,
  );
  return {
    element,
    /** @param {number} exact @param {string} text */
    show(exact, text) {
      value.dataset.value = String(exact);
      setText(value, text);
    },
  };
}
