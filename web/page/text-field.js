/** A text that is bound to a signal. */
import { notify, settle } from './notice.js';
import { html } from '../plot/dom.js';

/** @param {import('./controls.js').Bindable<string>} signal @param {string} label */
export function textField(signal, label) {
  const field = html('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' });
  field.addEventListener('change', () => setFromText(signal, field.value, label));
  const show = () => void (field.value = signal.value);
  signal.on(show);
  show();
  return html('label', { class: 'lab-text' }, html('span', {}, label), field);
}

/**
 * Sets the signal to the text, and says so if only a part of it is used, or none.
 * @param {import('./controls.js').Bindable<string>} signal
 * @param {string} typed @param {string} label
 */
export function setFromText(signal, typed, label) {
  const text = typed.trim();
  signal.set(text);
  if (text === signal.value) return settle(label);
  const used = text.startsWith(signal.value) ? 'the rest is left out' : 'it is the first one again';
  notify(label, `“${label}” is ${signal.range}, so ${used}.`);
}
