/**
 * The tour: links of the page that each set a state. The stop that the address names is told at the
 * things that it speaks of, with plain links to the stops before and behind it.
 */
import { bringUp } from './place.js';
import { byId, html } from '../plot/dom.js';

/** It has settings, although none that differ, so that those of the last stop are over. */
const END = '#look?v=1';

/** @param {HTMLAnchorElement} link */
const sectionOf = ({ hash }) => byId(hash.slice(1).replace(/\?.*/, ''));

/**
 * The stops are the links of the list, and their sentences stand beside them.
 * @param {import('./state.js').Store} store
 */
export function tour(store) {
  const links = /** @type {HTMLAnchorElement[]} */ ([...byId('tour').querySelectorAll('li a')]);
  const stop = store.number('tour', 0, { min: 0, max: links.length, integer: true });
  const line = html('p', { class: 'tour-stop', tabindex: -1 });
  const to = (/** @type {string} */ name, /** @type {HTMLAnchorElement | undefined} */ link) =>
    html('a', { href: link ? link.getAttribute('href') : END }, name);
  /** At the things that it speaks of, as soon as they are there. */
  const place = () => {
    const link = links[stop.value - 1];
    const { see = '.panel' } = link.dataset;
    const section = sectionOf(link);
    const next = section.querySelector(see) ?? section.querySelector('.panel');
    if (next?.previousElementSibling === line) return;
    const { activeElement, body } = document;
    const focus = /** @type {HTMLElement | null} */ (activeElement);
    const own = line.contains(focus);
    next?.before(line);
    if (own) focus?.focus({ preventScroll: true });
    else if (focus === body) line.focus({ preventScroll: true });
  };
  document.addEventListener('panel', ({ target }) => {
    if (stop.value && target === sectionOf(links[stop.value - 1])) place();
  });
  stop.on((at) => {
    const link = links[at - 1];
    if (!link) return line.remove();
    line.replaceChildren(
      html('b', {}, `Stop ${at} of ${links.length}. `),
      (link.parentElement?.querySelector('span')?.textContent ?? '').replace(/\s+/g, ' '),
      ' ',
      ...(at > 1 ? [to('back', links[at - 2])] : []),
      ' ',
      to(at < links.length ? 'next' : 'the end', links[at]),
    );
    place();
    line.focus({ preventScroll: true });
    bringUp(line, () => stop.value === at && sectionOf(link).dataset.panel === 'waiting');
  });
}
