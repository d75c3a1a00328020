/**
 * One quiet line at the foot of the window, for a request that the page did not follow. It stays
 * until it is dismissed or the request is mended.
 */
import { byId, html } from '../plot/dom.js';

/** The subject of the line: the link, or one field. */
let about = '';

/** @param {string} subject @param {string} text */
export function notify(subject, text) {
  about = subject;
  const understood = html('button', { type: 'button', class: 'quiet' }, 'understood');
  understood.addEventListener('click', () => settle(subject));
  byId('notice').replaceChildren(html('p', {}, text), understood);
  // a line about a field goes with the next press, so that it covers nothing for long
  if (subject !== 'link')
    document.addEventListener('pointerdown', () => settle(subject), { once: true });
}

/** One thing more about a subject. @param {string} subject @param {string} text */
export function addNotice(subject, text) {
  const before = subject === about ? byId('notice').querySelector('p')?.textContent : '';
  notify(subject, `${before ?? ''} ${text}`.trim());
}

/** The subject is in order, so nothing needs to be said of it any more. @param {string} subject */
export function settle(subject) {
  if (subject === about) byId('notice').replaceChildren();
}
