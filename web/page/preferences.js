/** Theme and depth: how a reader wants the page, remembered here and in no link. */

/** @param {string} name @param {string} value the one that is not written */
function preference(name, value) {
  const { dataset } = document.documentElement;
  const radios = /** @type {NodeListOf<HTMLInputElement>} */ (
    document.querySelectorAll(`input[name="${name}"]`)
  );
  for (const radio of radios) {
    radio.checked = radio.value === (dataset[name] ?? value);
    radio.addEventListener('change', () => {
      if (radio.value === value) delete dataset[name];
      else dataset[name] = radio.value;
      try {
        if (radio.value === value) localStorage.removeItem(`clearhead-${name}`);
        else localStorage.setItem(`clearhead-${name}`, radio.value);
      } catch {
        // not remembered, where storage is refused
      }
      document.dispatchEvent(new Event(`${name}change`));
    });
  }
}

/** The switches of the masthead. Panels hear “themechange” and “depthchange” on the document. */
export function preferences() {
  preference('theme', 'auto');
  preference('depth', 'look');
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
    document.dispatchEvent(new Event('themechange')),
  );
}
