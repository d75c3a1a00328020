// Loaded before the page is painted, so that a chosen theme does not flash. Everything else is a module.
(() => {
  let theme;
  try {
    theme = localStorage.getItem('clearhead-theme');
  } catch {
    theme = null; // storage may be refused; the system's choice is used
  }
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
})();
