/** A text that is bound to a signal. */
import { notify, settle } from '../../page/notice.js';
import { html } from '../../plot/dom.js';

/** @param {import('../../page/controls.js').Bindable<string>} signal @param {string} label */
export function textField(signal, label) {
  const field = html('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' });
  field.addEventListener('change', () => setText(signal, field.value.trim(), label));
  const show = () => void (field.value = signal.value);
  signal.on(show);
  show();
  return html('label', { class: 'lab-text' }, html('span', {}, label), field);
}

/**
 * Sets the signal to the text, and says so if only a part of it is used.
 * @param {import('../../page/controls.js').Bindable<string>} signal
 * @param {string} text @param {string} label
 */
export function setText(signal, text, label) {
  signal.set(text);
  if (text.startsWith(signal.value) && text !== signal.value)
    notify(label, `“${label}” is ${signal.range}, so the rest is left out.`);
  else settle(label);
}
