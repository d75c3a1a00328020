// Says so when the page does not come alive: a module that fails or is missing never runs, so it
// cannot say it itself. main.js sets data-started as its
// first act, and tells of everything that goes wrong after that.
(() => {
  if (location.protocol === 'file:') return; // from-file.js tells that
  const root = document.documentElement;
  const SECONDS = 10;

  /** @param {string} reason */
  const tell = (reason) => {
    const place = document.getElementById('failure');
    if (!place || 'started' in root.dataset) return;
    const cause = document.createElement('code');
    const again = document.createElement('button');
    cause.textContent = reason;
    again.type = 'button';
    again.className = 'quiet';
    again.textContent = 'try again';
    again.addEventListener('click', () => location.reload());
    const first = document.createElement('p');
    first.append('The page did not start, so its figures stay empty. ', cause);
    place.replaceChildren(first, again);
    place.hidden = false;
    const badge = document.getElementById('badge');
    if (badge) badge.textContent = 'not started';
    root.dataset.engine = 'failed';
  };

  /** @param {string} reason */
  const soon = (reason) =>
    document.readyState === 'loading'
      ? document.addEventListener('DOMContentLoaded', () => tell(reason))
      : tell(reason);

  addEventListener(
    'error',
    (event) => {
      const { target } = event;
      if (target instanceof HTMLScriptElement)
        soon(`${target.getAttribute('src')}, or a module it imports, did not load`);
      else if (event instanceof ErrorEvent) soon(event.message);
    },
    true,
  );
  addEventListener('load', () =>
    setTimeout(() => tell(`nothing ran within ${SECONDS} seconds`), 1000 * SECONDS),
  );
})();
