/**
 * The page on paper: figures in the light colours, and the address, which holds every setting of
 * the controls that paper leaves out.
 */
import { medium } from '../plot/colour.js';
import { html } from '../plot/dom.js';

export function preparePaper() {
  const address = html('p', { class: 'on-paper' });
  document.querySelector('footer')?.append(address);
  const draw = (/** @type {boolean} */ paper) => {
    medium.paper = paper;
    address.textContent = `Printed from ${location.href}`;
    document.dispatchEvent(new Event('themechange'));
  };
  addEventListener('beforeprint', () => draw(true));
  addEventListener('afterprint', () => draw(false));
}
