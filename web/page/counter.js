/** The statements of the whole page in one number, in the masthead. */
import { summary } from './chrome.js';
import { setText } from '../plot/dom.js';

/** @param {HTMLElement} place */
export function counter(place) {
  const show = () => {
    const { state, text } = summary(document.querySelectorAll('main [data-statement]'));
    if (!text) return;
    place.dataset.state = state;
    setText(place, text);
  };
  document.addEventListener('verdict', show);
  document.addEventListener('panel', show);
}
