/** A text that is bound to a signal. */
import { html } from '../../plot/dom.js';

/** @param {import('../../page/controls.js').Bindable<string>} signal @param {string} label */
export function textField(signal, label) {
  const field = html('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' });
  field.addEventListener('change', () => signal.set(field.value.trim()));
  const show = () => void (field.value = signal.value);
  signal.on(show);
  show();
  return html('label', { class: 'lab-text' }, html('span', {}, label), field);
}
