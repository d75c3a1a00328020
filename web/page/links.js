/** The address: the state it holds, and the section it points at. */
import { notify, settle } from './notice.js';
import { unknownPreferences } from './preferences.js';

/** @typedef {import('./state.js').Store} Store */

/** @param {Store} store */
function readLink(store) {
  const notices = [...unknownPreferences(), ...store.read(location.hash)];
  if (store.section && !document.getElementById(store.section)) {
    notices.push(`there is no section “${store.section.slice(0, 40)}”`);
    store.section = '';
  }
  if (notices.length) notify('link', `Not all of the link could be used: ${notices.join('; ')}.`);
  else settle('link');
}

/**
 * Reads the link now and whenever it changes, and lets links to sections keep the state.
 * @param {Store} store
 * @returns {() => void} goes to the section of the link
 */
export function followLinks(store) {
  readLink(store);
  const go = () => store.section && document.getElementById(store.section)?.scrollIntoView();
  // Panels make links, too. One with settings is followed by the browser, as any other address.
  document.addEventListener('click', (event) => {
    if (!(event.target instanceof Element)) return;
    const link = event.target.closest('a[href^="#"]:not([href*="?"])');
    if (!link) return;
    event.preventDefault();
    store.section = (link.getAttribute('href') ?? '').slice(1);
    history.pushState(null, '', store.fragment() || location.pathname + location.search);
    go();
    const heading = document.getElementById(store.section)?.querySelector('h1, h2');
    heading?.setAttribute('tabindex', '-1');
    /** @type {HTMLElement | null | undefined} */ (heading)?.focus({ preventScroll: true });
  });
  const arrive = () => {
    readLink(store);
    go();
  };
  addEventListener('hashchange', arrive);
  addEventListener('popstate', arrive);
  return go;
}
