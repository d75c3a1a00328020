// Loaded before the page is painted, so that a chosen theme does not flash. All else is a module,
// or waits for the page.
(() => {
  let theme;
  try {
    theme = localStorage.getItem('clearhead-theme');
  } catch {
    theme = null; // storage may be refused; the system's choice is used
  }
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
})();
