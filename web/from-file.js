// A page that was opened as a file: browsers load modules from a server only, so main.js never
// runs, and this says so.
if (location.protocol === 'file:') {
  const place = /** @type {HTMLElement} */ (document.getElementById('failure'));
  const command = document.createElement('code');
  const plain = document.createElement('link');
  command.textContent = 'npm start';
  place.append(
    'This page was opened as a file, but it needs a server. In the repository, run ',
    command,
    ' and open the address it prints.',
  );
  place.hidden = false;
  document.documentElement.dataset.engine = 'failed';
  Object.assign(plain, { rel: 'stylesheet', href: 'noscript.css' }); // no control that does nothing
  document.head.append(plain);
}
