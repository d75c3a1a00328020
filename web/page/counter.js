/** The statements of the whole page in one number, in the masthead. */
import { summary } from './chrome.js';
import { onceAfter } from './frames.js';
import { setText } from '../plot/dom.js';

/** @param {HTMLElement} place */
export function counter(place) {
  const show = onceAfter(() => {
    const { state, text } = summary(
      document.querySelectorAll('main :is([data-statement], [data-proof])'),
    );
    if (!text) return;
    place.dataset.state = state;
    const [told] = text.replace('checks hold', 'checks of its numbers hold').split(';');
    setText(place.querySelector('a') ?? place, told);
  });
  document.addEventListener('verdict', show);
  document.addEventListener('panel', show);
}
