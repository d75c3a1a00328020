// Loaded before the page is painted, so that a chosen theme or depth does not flash. A link may
// choose them as well.
(() => {
  const { dataset } = document.documentElement;
  const remembered = (/** @type {string} */ name) => {
    try {
      return localStorage.getItem(`clearhead-${name}`);
    } catch {
      return null; // storage may be refused; the defaults are used
    }
  };
  const query = new URLSearchParams(location.search);
  const choose = (/** @type {string} */ name, /** @type {string[]} */ allowed) => {
    const value = query.get(name) ?? remembered(name);
    if (value && allowed.includes(value)) dataset[name] = value;
  };
  choose('theme', ['light', 'dark']);
  choose('depth', ['understand', 'doubt']);
  const embed = query.get('embed');
  if (embed) dataset.embed = embed;
})();
